import Synchronization

/// The best content so far, which is delivered when time expires. Safe to change from any task or thread.
package final class BestAttempt: Sendable {
    private let state: Mutex<NotificationContent>

    package init(_ content: NotificationContent) { state = Mutex(content) }

    package var content: NotificationContent { state.withLock { $0 } }

    /// Changes the state of the attachment numbered `index`.
    package func update(_ index: Int, _ change: @Sendable (inout AttachmentContent) -> Void) {
        state.withLock { content in
            guard content.attachments.indices.contains(index) else { return }
            change(&content.attachments[index])
        }
    }
}
