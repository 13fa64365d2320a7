package import Media
package import Payloads

/// One notification, and what its attachments are to become.
package struct ProcessingRequest: Sendable {
    package var notification: NotificationRequest
    package var profile: Profile
    /// The part of a video or of sound that is wanted.
    package var clip: ClipSelection
    package var limits: MediaLimits
    /// When the request came in; the time since then is its time in the queue.
    package var accepted: Instant?

    package init(
        notification: NotificationRequest,
        profile: Profile = .apns,
        clip: ClipSelection = ClipSelection(),
        limits: MediaLimits = MediaLimits(),
        accepted: Instant? = nil,
    ) {
        self.notification = notification
        self.profile = profile
        self.clip = clip
        self.limits = limits
        self.accepted = accepted
    }
}
