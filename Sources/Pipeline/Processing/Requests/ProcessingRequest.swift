package import Media
package import Payloads
package import Timing

/// One notification, and the wanted outputs of its attachments.
package struct ProcessingRequest: Sendable {
    package let notification: NotificationRequest
    /// The chosen profile of each attachment.
    package let profiles: [ProfileChoice]
    /// The wanted part of a video or sound.
    package var clip: ClipSelection
    /// The point of the pictures that stays visible where a profile crops.
    package var focus: FocalPoint?
    package var limits: MediaLimits
    /// The time at which the request arrived. The time since then counts as time in the queue.
    package var accepted: Instant?

    /// Creates a request. `profiles` has one choice for each attachment, in order.
    init(
        notification: NotificationRequest,
        profiles: [ProfileChoice],
        clip: ClipSelection,
        focus: FocalPoint?,
        limits: MediaLimits,
        accepted: Instant?,
    ) {
        self.notification = notification
        self.profiles = profiles
        self.clip = clip
        self.focus = focus
        self.limits = limits
        self.accepted = accepted
    }

    /// Creates a request with the same profile for all attachments.
    package init(
        notification: NotificationRequest,
        profile: Profile = .apns,
        clip: ClipSelection = ClipSelection(),
        focus: FocalPoint? = nil,
        limits: MediaLimits = MediaLimits(),
        accepted: Instant? = nil,
    ) {
        let choice = ProfileChoice(profile: profile, reason: .request)
        let profiles = notification.attachments.map { _ in choice }
        self.init(
            notification: notification,
            profiles: profiles,
            clip: clip,
            focus: focus,
            limits: limits,
            accepted: accepted
        )
    }

    /// Returns the part of the image at `index` to keep; `nil` keeps all of it.
    func clippingRectangle(of index: Int) -> ClippingRectangle? {
        guard profiles[index].profile.cropsToClippingRectangle else { return nil }
        return notification.attachments[index].options.clippingRectangle
    }

    /// Returns the square of a delivered picture for its thumbnail: around the point that the request names, or else around
    /// what draws attention. `nil` leaves the choice to the device, or to the sender's own option.
    func thumbnailPart(of report: RungReport, at index: Int) -> ClippingRectangle? {
        // The named point is one of the whole picture.
        let isWhole = profiles[index].profile.image.aspectRatio == nil && report.rung != .partial
        let named = isWhole ? focus : nil
        guard report.format.kind == .image, let width = report.width, let height = report.height,
            notification.attachments[index].options.clippingRectangle == nil, let focus = named ?? report.focus
        else { return nil }
        return ClippingRectangle(squareAround: focus, width: width, height: height)
    }

    /// The chosen dialect and profiles with the reasons, as lines for people.
    var explanation: String {
        let choices = zip(notification.attachments, profiles).map { "\($1): \($0.pointers.url)" }
        return ([notification.explanation.description] + choices).joined(separator: "\n")
    }
}
