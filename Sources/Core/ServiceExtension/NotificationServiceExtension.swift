package import Payloads

/// An extension that modifies the content of a notification before it is delivered: `UNNotificationServiceExtension`,
/// on a server.
///
/// `ServiceExtensionHost` runs it under a deadline and guarantees one content, once, on time, whatever the extension
/// does.
package protocol NotificationServiceExtension: Sendable {
    /// Works on the notification, and returns its content.
    ///
    /// The extension keeps `bestAttempt` up to date on the way. It should respond to cancellation, which comes when the
    /// time has expired; one that does not is left behind.
    func didReceive(_ request: NotificationRequest, bestAttempt: BestAttempt) async throws -> NotificationContent

    /// Returns the content as good as it is now: the last chance. Must not wait.
    func timeWillExpire(bestAttempt: BestAttempt) -> NotificationContent
}

extension NotificationServiceExtension {
    package func timeWillExpire(bestAttempt: BestAttempt) -> NotificationContent { bestAttempt.content }
}
