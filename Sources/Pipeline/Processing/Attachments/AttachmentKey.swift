import Media
import Payloads
import Values

/// The key of an attachment: its source and the wanted output. Notifications with equal keys share the same work.
///
/// Tables hold several copies of each key, so the wishes stand behind a reference: without it, the cache of 4,096
/// attachments took 18 MB.
struct AttachmentKey: Hashable, Sendable {
    /// The identity of the source (`SourceIdentity`). It need not be a URL that can be fetched.
    let source: String
    private let reference: Reference<WantedOutput>

    init(source: String, output: WantedOutput) {
        self.source = source
        reference = Reference(output)
    }

    var output: WantedOutput { reference.value }
}

/// The wishes for an attachment's output.
struct WantedOutput: Hashable, Sendable {
    /// The kind of media that the sender announced, if any.
    var kind: MediaFormat.Kind?
    var image: ImageRules
    var animation: AnimationRules?
    var video: VideoRules?
    var audio: AudioRules?
    var clippingRectangle: ClippingRectangle?
    /// The point that stays visible where the profile crops.
    var focus: FocalPoint?
    var clip: ClipSelection
    var limits: MediaLimits
    /// The longer side in pixels of the thumbnail to make beside the output; `nil` makes none.
    var thumbnailEdge: Int?
    /// A Boolean value that indicates whether a picture is decoded only when all of it is there. It costs no time where
    /// the source comes at once, and saves a poor version of it.
    var waitsForWholePictures = false

    /// Returns the request that converts a source of this format, with every rung.
    func conversion(of format: MediaFormat) -> ConversionRequest {
        ConversionRequest(
            format: format,
            image: image,
            animation: animation,
            clippingRectangle: clippingRectangle,
            focus: focus,
            video: video,
            audio: audio,
            clip: clip,
            limits: limits,
            thumbnailEdge: thumbnailEdge,
        )
    }
}

/// An attachment to make: its key, and the URL to fetch, as the sender gave it.
struct WantedAttachment: Sendable {
    var key: AttachmentKey
    var url: String
    /// The key under which the same file may have been made ready ahead of time, when nothing was known but the source
    /// and the profile; `nil` if the notification has wishes of its own.
    var prepared: AttachmentKey?
    /// A Boolean value that indicates whether the attachment is made to be ready ahead of time, and not from what was made
    /// so before.
    var isPreparation = false

    init(key: AttachmentKey, url: String, image: ImageRules? = nil) {
        self.key = key
        self.url = url
        var output = key.output
        // The announced kind changes how a source is downloaded, and not what becomes of it.
        output.kind = nil
        output.image = image ?? output.image
        guard output.clip == ClipSelection(), output.focus == nil, output.clippingRectangle == nil,
            output.thumbnailEdge == nil
        else { return }
        prepared = AttachmentKey(source: key.source, output: output)
    }
}

extension ProcessingRequest {
    /// Returns the attachments of the notification, in order.
    func wantedAttachments(by identity: SourceIdentity) -> [WantedAttachment] {
        notification.attachments.enumerated().map { index, attachment in
            // A prepared file has the inline picture also where a payload has no place for it.
            let image = profiles[index].profile.image
            return WantedAttachment(key: key(of: index, by: identity), url: attachment.url, image: image)
        }
    }

    /// Returns the key of the attachment at `index`, from the profile, the request, and the attachment's options.
    private func key(of index: Int, by identity: SourceIdentity) -> AttachmentKey {
        let attachment = notification.attachments[index]
        let profile = profiles[index].profile
        var clip = clip
        clip.thumbnailTime = attachment.options.thumbnailTime.map { .seconds(clamping: min(max(0, $0), 86_400)) }
        var image = profile.image
        // An inline picture has its place in the array of ready attachments, or in a Live Activity.
        if attachment.pointers.list == nil, attachment.pointers.inline == nil { image.inline = .off }
        let output = WantedOutput(
            kind: attachment.options.typeHint.flatMap(MediaFormat.init(typeIdentifier:))?.kind,
            image: image,
            animation: profile.animation,
            video: profile.video,
            audio: profile.audio,
            clippingRectangle: clippingRectangle(of: index),
            focus: profile.image.aspectRatio == nil ? nil : focus,
            clip: clip,
            limits: limits,
        )
        return AttachmentKey(source: identity.source(of: attachment.url), output: output)
    }
}
