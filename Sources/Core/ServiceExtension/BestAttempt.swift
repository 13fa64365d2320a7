import Synchronization

/// The best state of each attachment so far, which is delivered when time expires. Safe to change from any task or
/// thread.
package final class BestAttempt: Sendable {
    private let state: Mutex<[AttachmentContent]>

    /// Creates the attempt with nothing but the original, which is always ready.
    package init(attachments count: Int) { state = Mutex(Array(repeating: AttachmentContent(), count: count)) }

    /// The state of each attachment, in the order in which they were asked for.
    package var attachments: [AttachmentContent] { state.withLock(\.self) }

    /// Changes the state of the attachment numbered `index`.
    package func update(_ index: Int, _ change: @Sendable (inout AttachmentContent) -> Void) {
        state.withLock { attachments in
            guard attachments.indices.contains(index) else { return }
            change(&attachments[index])
        }
    }
}
