package import Payloads
package import Timing

/// The content that a notification is delivered with, and how it was reached.
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

/// The host of a service extension: one content, once, on time.
///
/// If the extension throws, the host returns the best attempt. If it hangs or ignores cancellation, the host leaves it
/// behind.
package struct ServiceExtensionHost: Sendable {
    private let time: any TimeSource

    package init(time: any TimeSource) { self.time = time }

    /// Returns the content for `request` when the extension has returned, and at `expiry` at the latest.
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
