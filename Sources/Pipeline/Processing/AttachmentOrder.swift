import Media
import Payloads
import Values

/// What a source is to become. Attachments whose orders are equal are made ready by the same work.
struct AttachmentOrder: Hashable, Sendable {
    /// Tells sources apart: the URL as the operator's rules map it, which need not be one that can be asked for.
    var source: String
    /// What the sender says that it is, if anything.
    var kind: MediaFormat.Kind?
    var image: ImageRules
    var animation: AnimationRules?
    var video: VideoRules?
    var audio: AudioRules?
    var clippingRectangle: ClippingRectangle?
    var clip: ClipSelection
    var limits: MediaLimits

    /// The order for a source of that format, with every rung.
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
    /// Which of two outputs of one source is better.
    var rank: Int { isLast ? Rung.allCases.count : Rung.allCases.firstIndex(of: self) ?? 0 }
}

extension ProcessingRequest {
    /// What the profile, the request and the options of the attachment numbered `index` ask for.
    func order(of index: Int, rules: [SourceRule]) -> AttachmentOrder {
        let attachment = notification.attachments[index]
        let profile = profiles[index].profile
        var clip = clip
        clip.thumbnailTime = attachment.options.thumbnailTime.map { .seconds(clamping: min(max(0, $0), 86_400)) }
        return AttachmentOrder(
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
