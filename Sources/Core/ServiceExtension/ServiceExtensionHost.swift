package import Timing

/// The attachments that a notification is delivered with, and how they were reached.
package struct Delivery: Sendable {
    package enum Cause: Sendable, Equatable {
        case returned, failed, expired
    }

    /// The state of each attachment, in the order in which they were asked for.
    package var attachments: [AttachmentContent]
    package var cause: Cause

    package init(attachments: [AttachmentContent], cause: Cause) {
        self.attachments = attachments
        self.cause = cause
    }
}

/// The host of a service extension: `UNNotificationServiceExtension`, on a server. It delivers one content, once, on
/// time, whatever the extension does.
///
/// The extension keeps the best attempt up to date. If it throws, the host delivers the best attempt. If it hangs or
/// ignores cancellation, the host leaves it behind.
package struct ServiceExtensionHost: Sendable {
    private let time: any TimeSource

    package init(time: any TimeSource) { self.time = time }

    /// Runs the extension until it has returned, and until `expiry` at the longest.
    ///
    /// - Parameters:
    ///   - count: The number of attachments.
    ///   - expiry: The time at which the best attempt is taken. The extension is cancelled then.
    ///   - serviceExtension: Works on the attachments, and records its progress in the best attempt.
    /// - Returns: The best attempt.
    package func delivery(
        ofAttachments count: Int,
        until expiry: Instant,
        from serviceExtension: @escaping @Sendable (BestAttempt) async throws -> Void,
    ) async -> Delivery {
        let bestAttempt = BestAttempt(attachments: count)
        return await time.answer(by: expiry) {
            do {
                try await serviceExtension(bestAttempt)
                return Delivery(attachments: bestAttempt.attachments, cause: .returned)
            } catch {
                return Delivery(attachments: bestAttempt.attachments, cause: .failed)
            }
        } else: {
            Delivery(attachments: bestAttempt.attachments, cause: .expired)
        }
    }
}
