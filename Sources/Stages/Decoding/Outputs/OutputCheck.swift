import Glibc
import Media
import Timing

/// The check of a finished output. It does not rely on anything that the decoder process reports.
enum OutputCheck {
    /// The tolerance for durations in milliseconds: sums of the same times may differ by it, and the last packet of
    /// sound may reach beyond the end by it.
    private static let tolerance = 100
    /// The most bytes of a thumbnail: the least compressible picture of 256 pixels has fewer.
    private static let thumbnailLimit = 131_072

    /// Returns the output, copied into memory that the decoder process never had, or `nil` if it is not as its report
    /// says or as `request` allows.
    static func accepted(_ report: RungReport, _ file: OutputFile, for request: ConversionRequest) -> ReadyRung? {
        let bytes = file.prefix(report.byteCount)
        guard bytes.count == report.byteCount, OutputFormat(of: bytes.span) == report.format else { return nil }
        let checked =
            switch report.format.kind {
            case .image: picture(report, bytes, for: request)
            case .video, .audio: clip(report, bytes, for: request)
            }
        guard var checked, let copy = copy(of: bytes) else { return nil }
        // The output is complete without its tiny version.
        if !isAcceptable(checked.inline, for: request) { checked.inline = nil }
        return ReadyRung(report: checked, file: copy)
    }

    /// Returns the bytes of a thumbnail of the size that `request` asks for. They are for a person's eyes, so they are
    /// few.
    static func acceptedThumbnail(_ byteCount: Int, _ file: OutputFile, for request: ConversionRequest) -> [UInt8]? {
        guard let edge = request.thumbnailEdge, byteCount <= thumbnailLimit else { return nil }
        let bytes = file.prefix(byteCount)
        guard bytes.count == byteCount, let header = OutputHeader(bytes.span), header.format == .jpeg,
            header.width > 0, header.height > 0, max(header.width, header.height) <= edge
        else { return nil }
        return bytes
    }

    /// Returns whether `request` wants such a tiny picture, and all of it is as it says.
    private static func isAcceptable(_ inline: InlinePicture?, for request: ConversionRequest) -> Bool {
        guard let inline else { return true }
        guard request.image.inline != .off, InlinePicture.isThumbHash(inline.thumbHash) else { return false }
        guard inline.format == .jpeg || inline.format == .webp && request.image.prefersWebP else { return false }
        guard request.image.inline == .auto || inline.pictures.isEmpty else { return false }
        return inline.pictures.allSatisfy { picture in
            guard picture.count <= InlinePicture.byteLimit, let header = OutputHeader(picture.span) else {
                return false
            }
            return header.format == inline.format && header.width > 0 && header.height > 0
                && max(header.width, header.height) <= InlinePicture.longestEdge
        }
    }

    private static func picture(
        _ report: RungReport,
        _ bytes: [UInt8],
        for request: ConversionRequest,
    ) -> RungReport? {
        guard let header = OutputHeader(bytes.span), header.format == report.format else { return nil }
        guard report.width == nil || report.width == header.width else { return nil }
        guard report.height == nil || report.height == header.height else { return nil }
        let (longEdge, byteLimit) = bounds(for: header.format, in: request)
        guard header.width > 0, header.height > 0, max(header.width, header.height) <= longEdge else { return nil }
        guard report.byteCount <= byteLimit else { return nil }
        var report = report
        report.width = header.width
        report.height = header.height
        return report
    }

    private static func clip(_ report: RungReport, _ bytes: [UInt8], for request: ConversionRequest) -> RungReport? {
        guard let header = ClipHeader(bytes.span), header.format == report.format, header.width == report.width,
            header.height == report.height, let duration = report.durationMilliseconds
        else { return nil }
        if let found = header.durationMilliseconds, abs(found - duration) > tolerance { return nil }
        let longest: Duration
        let byteLimit: Int
        if let width = header.width, let height = header.height {
            guard let rules = request.video, width > 0, height > 0, max(width, height) <= rules.longEdge else {
                return nil
            }
            (longest, byteLimit) = (rules.duration, rules.byteLimit)
        } else {
            guard let rules = request.audio else { return nil }
            (longest, byteLimit) = (rules.duration, rules.byteLimit)
        }
        return duration <= longest.milliseconds + tolerance && report.byteCount <= byteLimit ? report : nil
    }

    /// Returns the bounds for a format. A GIF may be an animation or a still picture.
    private static func bounds(for format: OutputFormat, in request: ConversionRequest) -> (longEdge: Int, bytes: Int) {
        let image = request.image
        switch format {
        case .gif:
            guard let animation = request.animation else { return (image.longEdge, image.byteLimit) }
            return (max(image.longEdge, animation.longEdge), max(image.byteLimit, animation.byteLimit))
        case .jpeg, .png: return (image.longEdge, image.byteLimit)
        case .webp: return image.prefersWebP ? (image.longEdge, image.byteLimit) : (0, 0)
        // Clips have bounds of their own; see `clip`.
        case .mp4, .m4a, .wav: return (0, 0)
        }
    }

    private static func copy(of bytes: [UInt8]) -> OutputFile? {
        guard let file = try? OutputFile(capacity: bytes.count) else { return nil }
        let written = unsafe pwrite(file.descriptor, bytes, bytes.count, 0)
        return written == bytes.count ? file : nil
    }
}
