package import Media
import Payloads
package import Timing

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

    func wantedAttachment(by identity: SourceIdentity) -> WantedAttachment {
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
        let key = AttachmentKey(source: identity.source(of: url), output: output)
        return WantedAttachment(key: key, url: url)
    }
}
