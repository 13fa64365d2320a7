package import Media
package import Payloads
package import Timing

/// One notification, and what its attachments are to become.
package struct ProcessingRequest: Sendable {
    package let notification: NotificationRequest
    /// One for each attachment of the notification.
    package let profiles: [ProfileChoice]
    /// The part of a video or of sound that is wanted.
    package var clip: ClipSelection
    package var limits: MediaLimits
    /// When the request came in; the time since then is its time in the queue.
    package var accepted: Instant?

    /// `profiles` are chosen for the attachments, in their order.
    init(
        notification: NotificationRequest,
        profiles: [ProfileChoice],
        clip: ClipSelection,
        limits: MediaLimits,
        accepted: Instant?,
    ) {
        self.notification = notification
        self.profiles = profiles
        self.clip = clip
        self.limits = limits
        self.accepted = accepted
    }

    /// All attachments get the same profile.
    package init(
        notification: NotificationRequest,
        profile: Profile = .apns,
        clip: ClipSelection = ClipSelection(),
        limits: MediaLimits = MediaLimits(),
        accepted: Instant? = nil,
    ) {
        let choice = ProfileChoice(profile: profile, reason: .request)
        let profiles = notification.attachments.map { _ in choice }
        self.init(notification: notification, profiles: profiles, clip: clip, limits: limits, accepted: accepted)
    }

    /// What is kept of the picture numbered `index`; `nil` keeps all of it.
    func clippingRectangle(of index: Int) -> ClippingRectangle? {
        guard profiles[index].profile.cropsToClippingRectangle else { return nil }
        return notification.attachments[index].options.clippingRectangle
    }

    /// Which dialect and which profiles were chosen, and why: lines for a person.
    var explanation: String {
        let choices = zip(notification.attachments, profiles).map { "\($1): \($0.place.url)" }
        return ([notification.explanation.description] + choices).joined(separator: "\n")
    }
}
