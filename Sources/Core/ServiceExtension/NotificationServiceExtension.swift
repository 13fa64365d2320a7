package import Payloads

/// Modifies the content of a notification before it is delivered: `UNNotificationServiceExtension`, on a server.
///
/// `ServiceExtensionHost` runs it under a deadline and guarantees one content, once, on time, whatever it does.
package protocol NotificationServiceExtension: Sendable {
    /// Works on the notification, and returns its content.
    ///
    /// Whatever is ready on the way goes into `bestAttempt`. An implementation should answer cancellation, which
    /// comes when the time has expired; one that doesn't is left behind.
    func didReceive(_ request: NotificationRequest, bestAttempt: BestAttempt) async throws -> NotificationContent

    /// The last chance: the content as good as it is now. Must not wait.
    func timeWillExpire(bestAttempt: BestAttempt) -> NotificationContent
}

extension NotificationServiceExtension {
    package func timeWillExpire(bestAttempt: BestAttempt) -> NotificationContent { bestAttempt.content }
}
