import Base
import Media
import Payloads
import Processing

/// A delivered attachment: its result and its display. Templates can read only stored properties.
struct AttachmentView {
    let identifier: String
    /// The name of the file in the store.
    let name: String
    let type: String
    let mime: String
    let width: Int?
    let height: Int?
    let rung: String
    let size: String
    /// The dimensions and the length, such as `1038 × 692, 40 frames, 4 s`.
    let shape: String
    let sourceURL: String
    /// The description of the source, such as `3888 × 2594, 1.4 MB, image/jpeg`.
    let source: String
    let profile: String
    /// A Boolean value that indicates whether the file comes from work that was in progress or finished already.
    let isReused: Bool
    /// The platform of the attachment in a message for several platforms.
    let platform: String?
    /// A Boolean value that indicates whether no Apple device shows the attachment.
    let isForOthers: Bool
    let kind: String
    let isImage: Bool
    let isVideo: Bool
    let isAudio: Bool
    let thumbnail: ThumbnailView
    /// The tiny picture for a phone without network.
    let inline: InlineView?

    init(_ attachment: DeliveredAttachment, of result: ProcessingResult) {
        let request = result.request
        let (report, source) = (attachment.report, attachment.source)
        let index = request.notification.attachments.firstIndex { $0.identifier == attachment.identifier }
        identifier = attachment.identifier
        name = attachment.stored.identifier
        type = report.format.typeIdentifier
        mime = report.format.mimeType
        (width, height) = (report.width, report.height)
        rung = report.rung.rawValue
        size = ShownNumber.size(report.byteCount)
        shape = Self.shape(width, height, frames: report.frames, report.durationMilliseconds)
        sourceURL = attachment.sourceURL
        self.source = [
            Self.shape(source.report?.width, source.report?.height, frames: nil, source.report?.durationMilliseconds),
            source.byteCount.map(ShownNumber.size) ?? "", source.format?.mimeType ?? "",
        ].filter { !$0.isEmpty }.joined(separator: ", ")
        isReused = attachment.isReused
        profile = index.map { request.profiles[$0].profile.name } ?? ""
        platform = index.flatMap { request.notification.attachments[$0].profile }
        isForOthers = index.map { PlatformView.isForOthers(request.notification.attachments[$0]) } ?? false
        isImage = report.format.kind == .image
        isVideo = report.format.kind == .video
        isAudio = report.format.kind == .audio
        let isAnimation = isImage && (report.frames ?? 1) > 1
        kind = isAnimation ? "animation" : report.format.kind.rawValue
        thumbnail = ThumbnailView(
            index.map { request.notification.attachments[$0].options } ?? AttachmentOptions(),
            isSound: isAudio,
            isAnimation: isAnimation,
            isClipped: attachment.isClipped,
        )
        inline = InlineView(of: attachment.identifier, in: result.payloadValue)
    }

    private static func shape(_ width: Int?, _ height: Int?, frames: Int?, _ milliseconds: Int?) -> String {
        var parts: [String] = []
        if let width, let height { parts.append("\(width) × \(height)") }
        if let frames, frames > 1 { parts.append("\(frames) frames") }
        if let milliseconds { parts.append(ShownNumber.duration(milliseconds)) }
        return parts.joined(separator: ", ")
    }
}

extension DeliveredAttachment {
    /// A Boolean value that indicates whether the file comes from work that was in progress or finished already: nothing was
    /// downloaded for it.
    var isReused: Bool { source.fetched == 0 }
}

// MARK: - The thumbnail

/// The thumbnail beside a collapsed notification, as the attachment's options define it.
struct ThumbnailView {
    let isShown: Bool
    /// The crop as `x y width height`, in fractions of the picture. An attachment that was cropped before is not
    /// cropped again.
    let crop: String
    /// The time in a movie, in seconds, or the number of an animation's frame.
    let time: Double
    /// The options as text.
    let notes: [String]

    init(_ options: AttachmentOptions, isSound: Bool, isAnimation: Bool, isClipped: Bool) {
        isShown = !isSound && !options.isThumbnailHidden
        time = options.thumbnailTime ?? 0
        var notes: [String] = []
        if options.isThumbnailHidden { notes.append("thumbnail hidden") }
        if let part = options.clippingRectangle {
            crop = isClipped ? "0 0 1 1" : "\(part.x) \(part.y) \(part.width) \(part.height)"
            notes.append(isClipped ? "cropped to the clipping rectangle" : "thumbnail cropped")
        } else {
            crop = "0 0 1 1"
        }
        if let time = options.thumbnailTime {
            notes.append(isAnimation ? "thumbnail of frame \(Int(clamping: time))" : "thumbnail at \(time) s")
        }
        self.notes = notes
    }
}

// MARK: - The inline picture

/// The tiny picture of an attachment that a phone without network shows, as it stands in the rewritten payload.
struct InlineView {
    /// The picture as a `data:` URL, or `nil` if the payload has its ThumbHash only.
    let url: String?
    /// Its part of the payload's size.
    let size: String

    /// Finds the picture in the payload's array of ready attachments, or returns `nil` if there is none.
    init?(of identifier: String, in payload: JSONValue) {
        guard case .array(let entries) = payload["attachments"],
            let inline = entries.first(where: { $0["identifier"]?.text == identifier })?["inline"]
        else { return nil }
        let type = inline["type"]?.text ?? ""
        let isPicture = OutputFormat.allCases.contains { $0.properties.isListed && $0.mimeType == type }
        let data = isPicture ? inline["data"]?.text : nil
        url = data.map { "data:\(type);base64,\($0)" }
        size = "\(ShownNumber.size(inline.compactBytes.count)) of the payload" + (data == nil ? ", a ThumbHash" : "")
    }
}
