import Base
package import Media
import Payloads

/// An attachment that is wanted: its source, and the key under which notifications share the work on it.
struct WantedAttachment: Sendable {
    var source: Source
    var key: AttachmentKey
    /// The key under which the same file may have been made ready ahead of time, when nothing was known but the source
    /// and the profile; `nil` if the notification has wishes of its own.
    var prepared: AttachmentKey?
    /// A Boolean value that indicates whether the attachment is made to be ready ahead of time, and not from what was made
    /// so before.
    var isPreparation = false

    init(_ source: Source, output: WantedOutput, image: ImageRules? = nil) {
        self.source = source
        key = AttachmentKey(source: source.identity, output: output)
        var output = output
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
    func wantedAttachments(by resolver: SourceResolver) -> [WantedAttachment] {
        notification.attachments.enumerated().map { index, attachment in
            // A prepared file has the inline picture also where a payload has no place for it.
            let image = profiles[index].profile.image
            return WantedAttachment(resolver.source(of: attachment.url), output: output(of: index), image: image)
        }
    }

    /// Returns the wishes for the attachment at `index`, from the profile, the request, and the attachment's options.
    private func output(of index: Int) -> WantedOutput {
        let attachment = notification.attachments[index]
        let profile = profiles[index].profile
        var clip = clip
        clip.thumbnailTime = attachment.options.thumbnailTime.map { .seconds(clamping: min(max(0, $0), 86_400)) }
        var image = profile.image
        // An inline picture has its place in the array of ready attachments, or in a Live Activity.
        if attachment.pointers.list == nil, attachment.pointers.inline == nil { image.inline = .off }
        return WantedOutput(
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
    }
}

// MARK: - The key

/// The key of an attachment: its source and the wanted output. Notifications with equal keys share the same work.
///
/// Tables hold several copies of each key, so the wishes stand behind a reference: without it, the cache of 4,096
/// attachments took 18 MB.
struct AttachmentKey: Hashable, Sendable {
    /// The identity of the source.
    let source: String
    private let reference: Reference<WantedOutput>

    init(source: String, output: WantedOutput) {
        self.source = source
        reference = Reference(output)
    }

    var output: WantedOutput { reference.value }
}

/// The wishes for an attachment's output.
struct WantedOutput: Hashable, Sendable, Encodable {
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

// MARK: - The source

/// The resolver of sources: it makes the value that stands for a source in the pipeline, with its identity.
///
/// The identity is the URL without the parts that the operator's rules ignore and, for a source that needs access, the key of
/// that access: nothing that was fetched with one key is found under another, or without one (SECURITY N13).
package struct SourceResolver: Sendable {
    private let rules: [SourceRule]
    private let resolve: @Sendable (String) -> Source

    /// Creates the resolver. The first rule that matches a URL counts. `resolve` understands the text of a URL.
    package init(rules: [SourceRule], resolve: @escaping @Sendable (String) -> Source = { Source($0) }) {
        self.rules = rules
        self.resolve = resolve
    }

    /// Returns the source that a URL names.
    package func source(of url: String) -> Source {
        var source = resolve(url)
        // Fragments never count, because clients do not send them.
        let asked = url[..<(url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex)]
        let identity = rules.lazy.compactMap { $0.identity(of: asked) }.first ?? String(asked)
        source.identity = source.accessKey.map { "\($0)\n\(identity)" } ?? identity
        return source
    }
}

/// An operator's rule about URLs: the query fields that do not change the content, such as signatures and expiry times,
/// and the path segments that name the tenant of a shared host.
///
/// The identity of a source leaves out those fields. The request always uses the URL as the sender gave it.
package struct SourceRule: Sendable, Equatable {
    /// The pattern of the URL up to its query. `*` matches any characters.
    package var match: String
    /// The names of the query fields to ignore. `*` matches any characters.
    package var ignoredQuery: [String]
    /// The number of leading path segments that name the tenant; 0 if the host is not shared.
    package var tenantSegments: Int

    package init(match: String, ignoredQuery: [String] = [], tenantSegments: Int = 0) {
        self.match = match
        self.ignoredQuery = ignoredQuery
        self.tenantSegments = tenantSegments
    }

    /// Returns the identity of the source at `url`; `nil` if the rule does not match it.
    func identity(of url: Substring) -> String? {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard Wildcard.matches(parts[0].utf8, match.utf8) else { return nil }
        guard parts.count > 1 else { return String(url) }
        let fields = parts[1].split(separator: "&", omittingEmptySubsequences: false).filter { field in
            let name = field.utf8.prefix { $0 != UInt8(ascii: "=") }
            return !ignoredQuery.contains { Wildcard.matches(name, $0.utf8) }
        }
        return fields.isEmpty ? String(parts[0]) : "\(parts[0])?\(fields.joined(separator: "&"))"
    }
}
