import Glibc
import Media

/// Looks at a finished output the way a stranger would: nothing that the decoder process says of it is believed.
enum OutputCheck {
    /// The output in memory that the decoder process never had, once it is what its report says and `request` allows.
    static func accepted(_ report: RungReport, _ file: OutputFile, for request: ConversionRequest) -> ReadyRung? {
        let bytes = file.prefix(report.byteCount)
        guard bytes.count == report.byteCount, let header = PictureHeader(bytes.span) else { return nil }
        guard header.format == report.format, MediaSniffer.format(of: bytes.span) == report.format else { return nil }
        guard report.width == nil || report.width == header.width else { return nil }
        guard report.height == nil || report.height == header.height else { return nil }
        let (longEdge, byteLimit) = bounds(for: header.format, in: request)
        guard header.width > 0, header.height > 0, max(header.width, header.height) <= longEdge else { return nil }
        guard report.byteCount <= byteLimit, let copy = copy(of: bytes) else { return nil }
        var report = report
        report.width = header.width
        report.height = header.height
        return ReadyRung(report: report, file: copy)
    }

    /// A GIF may be an animation or a still picture.
    private static func bounds(for format: MediaFormat, in request: ConversionRequest) -> (longEdge: Int, bytes: Int) {
        let image = request.image
        guard format == .gif, let animation = request.animation else { return (image.longEdge, image.byteLimit) }
        return (max(image.longEdge, animation.longEdge), max(image.byteLimit, animation.byteLimit))
    }

    private static func copy(of bytes: [UInt8]) -> OutputFile? {
        guard let file = try? OutputFile(capacity: bytes.count) else { return nil }
        let written = unsafe pwrite(file.descriptor, bytes, bytes.count, 0)
        return written == bytes.count ? file : nil
    }
}
