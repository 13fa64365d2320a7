package import Payloads
package import Timing

/// The content that a notification is delivered with, and how it came about.
package struct Delivery: Sendable {
    package enum Cause: Sendable, Equatable {
        case returned, failed, expired
    }

    package var content: NotificationContent
    package var cause: Cause

    package init(content: NotificationContent, cause: Cause) {
        self.content = content
        self.cause = cause
    }
}

/// Runs a service extension under a deadline: one content, once, on time.
///
/// An extension that throws is answered with its best attempt; one that hangs, or ignores cancellation, is left
/// behind.
package struct ServiceExtensionHost: Sendable {
    private let time: any TimeSource

    package init(time: any TimeSource) { self.time = time }

    /// Gives the content of `request` when the extension has returned, and at `expiry` at the latest.
    package func content(
        of request: NotificationRequest,
        from serviceExtension: some NotificationServiceExtension,
        until expiry: Instant,
    ) async -> Delivery {
        let bestAttempt = BestAttempt(NotificationContent(original: request))
        return await time.answer(by: expiry) {
            do {
                let content = try await serviceExtension.didReceive(request, bestAttempt: bestAttempt)
                return Delivery(content: content, cause: .returned)
            } catch {
                return Delivery(content: bestAttempt.content, cause: .failed)
            }
        } else: {
            let content = serviceExtension.timeWillExpire(bestAttempt: bestAttempt)
            return Delivery(content: content, cause: .expired)
        }
    }
}
