import Media
import Payloads
import Values

/// The key of an attachment: its source and the wanted output. Notifications with equal keys share the same work.
struct AttachmentKey: Hashable, Sendable {
    /// The identity of the source: its URL as rewritten by the operator's rules. It need not be a URL that can be
    /// fetched.
    var source: String
    /// The kind of media that the sender announced, if any.
    var kind: MediaFormat.Kind?
    var image: ImageRules
    var animation: AnimationRules?
    var video: VideoRules?
    var audio: AudioRules?
    var clippingRectangle: ClippingRectangle?
    var clip: ClipSelection
    var limits: MediaLimits

    /// Returns the request that converts a source of this format, with every rung.
    func conversion(of format: MediaFormat) -> ConversionRequest {
        ConversionRequest(
            format: format,
            image: image,
            animation: animation,
            clippingRectangle: clippingRectangle,
            video: video,
            audio: audio,
            clip: clip,
            limits: limits,
        )
    }
}

extension Rung {
    /// The rank of this rung among the outputs of one source. Higher is better.
    var rank: Int { isLast ? Rung.allCases.count : Rung.allCases.firstIndex(of: self) ?? 0 }
}

extension ProcessingRequest {
    /// Returns the key of the attachment at `index`, from the profile, the request, and the attachment's options.
    func key(of index: Int, rules: [SourceRule]) -> AttachmentKey {
        let attachment = notification.attachments[index]
        let profile = profiles[index].profile
        var clip = clip
        clip.thumbnailTime = attachment.options.thumbnailTime.map { .seconds(clamping: min(max(0, $0), 86_400)) }
        return AttachmentKey(
            source: rules.source(of: attachment.url),
            kind: attachment.options.typeHint.flatMap(MediaFormat.init(typeIdentifier:))?.kind,
            image: profile.image,
            animation: profile.animation,
            video: profile.video,
            audio: profile.audio,
            clippingRectangle: clippingRectangle(of: index),
            clip: clip,
            limits: limits,
        )
    }
}
