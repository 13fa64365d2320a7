package import Media
package import Payloads

/// One notification, and what its attachments are to become.
package struct ProcessingRequest: Sendable {
    package var notification: NotificationRequest
    package var profile: Profile
    package var limits: MediaLimits
    /// When the request came in; the time since then is its time in the queue.
    package var accepted: Instant?

    package init(
        notification: NotificationRequest,
        profile: Profile = .apns,
        limits: MediaLimits = MediaLimits(),
        accepted: Instant? = nil,
    ) {
        self.notification = notification
        self.profile = profile
        self.limits = limits
        self.accepted = accepted
    }
}
