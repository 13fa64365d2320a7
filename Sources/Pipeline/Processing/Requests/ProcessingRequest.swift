package import Base
package import Media
package import Payloads

/// One notification, and the wanted outputs of its attachments.
package struct ProcessingRequest: Sendable {
    package let notification: NotificationRequest
    /// The chosen profile of each attachment.
    package let profiles: [ProfileChoice]
    /// The tenant that the work is for, or `nil` if the request names none.
    var tenant: String?
    /// The time for all of the work.
    package let timeLimit: Duration
    /// The wanted part of a video or sound.
    let clip: ClipSelection
    /// The point of the pictures that stays visible where a profile crops.
    let focus: FocalPoint?
    let limits: MediaLimits
    /// The time at which the request arrived. The time since then counts as time in the queue.
    var accepted: Instant?

    /// Returns the part of the image at `index` to keep; `nil` keeps all of it.
    func clippingRectangle(of index: Int) -> ClippingRectangle? {
        guard profiles[index].profile.cropsToClippingRectangle else { return nil }
        return notification.attachments[index].options.clippingRectangle
    }

    /// Returns the delivered attachment at `index`, or `nil` if it is not stored.
    func delivered(_ ready: ReadyAttachment, at index: Int) -> DeliveredAttachment? {
        let named = notification.attachments[index]
        guard var delivered = ready.delivered(as: named.identifier, from: named.url) else { return nil }
        let isPicture = delivered.report.format.kind == .image && delivered.source.format?.kind == .image
        delivered.isClipped = isPicture && clippingRectangle(of: index) != nil
        delivered.thumbnailClippingRectangle = thumbnailPart(of: delivered.report, at: index)
        return delivered
    }

    /// Returns the square of a delivered picture for its thumbnail: around the point that the request names, or else around
    /// what draws attention. `nil` leaves the choice to the device, or to the sender's own option.
    func thumbnailPart(of report: RungReport, at index: Int) -> ClippingRectangle? {
        // The named point is one of the whole picture.
        let isWhole = profiles[index].profile.image.aspectRatio == nil && report.rung.properties.isWhole
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

extension ProcessingRequest {
    /// Creates a request with the same profile for all attachments, of no tenant.
    package init(
        notification: NotificationRequest,
        profile: Profile = .apns,
        clip: ClipSelection = ClipSelection(),
        focus: FocalPoint? = nil,
        limits: MediaLimits = MediaLimits(),
        accepted: Instant? = nil,
    ) {
        let choice = ProfileChoice(profile: profile, reason: .request)
        self.init(
            notification: notification,
            profiles: notification.attachments.map { _ in choice },
            timeLimit: NotificationService.longestTimeLimit,
            clip: clip,
            focus: focus,
            limits: limits,
            accepted: accepted,
        )
    }
}

/// A single source to process without a notification, such as a file of a batch.
package struct SourceRequest: Sendable {
    package let identifier: String
    package var url: String
    package var profile: Profile
    package var limits: MediaLimits
    /// The longer side in pixels of the thumbnail to make beside the output; `nil` makes none.
    package var thumbnailEdge: Int?
    /// A Boolean value that indicates whether a picture is decoded only when all of it is there. A file on this machine
    /// takes a few milliseconds, in which a decoder would only wait and make a poor version first.
    package var waitsForWholePictures: Bool
    /// The time at which the request arrived.
    package var accepted: Instant

    package init(
        url: String,
        profile: Profile,
        limits: MediaLimits = MediaLimits(),
        thumbnailEdge: Int? = nil,
        waitsForWholePictures: Bool = false,
        accepted: Instant,
    ) {
        identifier = RandomIdentifier.make()
        self.url = url
        self.profile = profile
        self.limits = limits
        self.thumbnailEdge = thumbnailEdge
        self.waitsForWholePictures = waitsForWholePictures
        self.accepted = accepted
    }

    func wantedAttachment(by resolver: SourceResolver) -> WantedAttachment {
        let output = WantedOutput(
            image: profile.image,
            animation: profile.animation,
            video: profile.video,
            audio: profile.audio,
            clip: ClipSelection(),
            limits: limits,
            thumbnailEdge: thumbnailEdge,
            waitsForWholePictures: waitsForWholePictures,
        )
        return WantedAttachment(resolver.source(of: url), output: output)
    }
}

/// The reason why a request was not processed at all. The message says what to do.
package enum RequestError: Error, Sendable, CustomStringConvertible {
    case payload(PayloadError)
    /// The bytes are JSON, but not a valid envelope.
    case envelope(String)
    case option(String)

    package var description: String {
        switch self {
        case .payload(let error): error.description
        case .envelope(let message), .option(let message): message
        }
    }
}
