import Foundation
import UserNotifications

/// A service extension that attaches the files that attachd made ready.
open class AttachmentService: UNNotificationServiceExtension {
    /// The keys that lead to the sender's own URL, outermost first. They count if the payload has no `attachments`.
    open var senderKey: [String] { ["my-attachment"] }

    var transport: any Transport { Network() }
    // The system may call `serviceExtensionTimeWillExpire` on another thread.
    private let lock = NSLock()
    private var attempts: [BestAttempt<UNNotificationAttachment>] = []

    override open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let original = request.content
        let attempt = BestAttempt(
            AttachmentEntry.entries(in: original.userInfo, senderKey: senderKey),
            in: FileManager.default.temporaryDirectory,
            over: transport,
            make: { try UNNotificationAttachment(identifier: $0, url: $1, options: $2) },
            deliver: { attachments in
                let content = original.mutableCopy() as? UNMutableNotificationContent
                if !attachments.isEmpty { content?.attachments = attachments }
                contentHandler(content ?? original)
            }
        )
        lock.withLock { attempts.append(attempt) }
        attempt.start()
    }

    override open func serviceExtensionTimeWillExpire() {
        for attempt in lock.withLock({ attempts }) { attempt.finish() }
    }
}
