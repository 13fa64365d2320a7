import Base
import Glibc
import Media

/// The check of a finished output. It does not rely on anything that the decoder process reports.
enum OutputCheck {
    /// The tolerance for durations in milliseconds: sums of the same times may differ by it, and the last packet of
    /// sound may reach beyond the end by it.
    private static let tolerance = 100
    /// The most bytes of a thumbnail: the least compressible picture of 256 pixels has fewer.
    private static let thumbnailLimit = 131_072

    /// An output that is as its report says, and what a clip lacks of its source.
    struct Accepted {
        var rung: ReadyRung
        var shortfall: AttachmentFailure?
    }

    /// Returns the output, copied into memory that the decoder process never had, or `nil` if it is not as its report
    /// says or as `request` allows.
    static func accepted(_ report: RungReport, _ file: OutputFile, for request: ConversionRequest) -> Accepted? {
        let bytes = file.prefix(report.byteCount)
        guard bytes.count == report.byteCount, let header = OutputHeader(bytes.span), header.format == report.format
        else { return nil }
        var shortfall: AttachmentFailure?
        let checked =
            switch header.format.kind {
            case .image: picture(report, header, for: request)
            case .video, .audio: clip(report, header, for: request, &shortfall)
            }
        guard var checked, let copy = copy(of: bytes) else { return nil }
        // The output is complete without its tiny version.
        if !isAcceptable(checked.inline, for: request) { checked.inline = nil }
        return Accepted(rung: ReadyRung(report: checked, file: copy), shortfall: shortfall)
    }

    /// Returns the bytes of a thumbnail of the size that `request` asks for. They are for a person's eyes, so they are
    /// few.
    static func acceptedThumbnail(_ byteCount: Int, _ file: OutputFile, for request: ConversionRequest) -> [UInt8]? {
        guard let edge = request.thumbnailEdge, byteCount <= thumbnailLimit else { return nil }
        let bytes = file.prefix(byteCount)
        guard bytes.count == byteCount, let header = OutputHeader(bytes.span), header.format == .jpeg,
            header.fits(edge)
        else { return nil }
        return bytes
    }

    /// Returns whether `request` wants such a tiny picture, and all of it is as it says.
    private static func isAcceptable(_ inline: InlinePicture?, for request: ConversionRequest) -> Bool {
        guard let inline else { return true }
        guard request.image.inline != .off, InlinePicture.isThumbHash(inline.thumbHash) else { return false }
        guard inline.format.properties.isListed, request.image.allows(inline.format) else { return false }
        guard request.image.inline == .auto || inline.pictures.isEmpty else { return false }
        return inline.pictures.allSatisfy { picture in
            guard picture.count <= InlinePicture.byteLimit, let header = OutputHeader(picture.span) else {
                return false
            }
            return header.format == inline.format && header.fits(InlinePicture.longestEdge)
        }
    }

    private static func picture(
        _ report: RungReport,
        _ header: OutputHeader,
        for request: ConversionRequest,
    ) -> RungReport? {
        guard report.account == nil else { return nil }
        guard report.width == nil || report.width == header.width else { return nil }
        guard report.height == nil || report.height == header.height else { return nil }
        guard request.image.allows(header.format) else { return nil }
        var (longEdge, byteLimit) = (request.image.longEdge, request.image.byteLimit)
        // The bytes don't say whether it moves.
        if header.format.properties.classes.contains(.animation), let animation = request.animation {
            (longEdge, byteLimit) = (max(longEdge, animation.longEdge), max(byteLimit, animation.byteLimit))
        }
        guard header.fits(longEdge), report.byteCount <= byteLimit else { return nil }
        var report = report
        report.width = header.width
        report.height = header.height
        return report
    }

    private static func clip(
        _ report: RungReport,
        _ header: OutputHeader,
        for request: ConversionRequest,
        _ shortfall: inout AttachmentFailure?,
    ) -> RungReport? {
        guard header.width == report.width, header.height == report.height,
            let duration = report.durationMilliseconds, let account = report.account
        else { return nil }
        if let found = header.durationMilliseconds, abs(found - duration) > tolerance { return nil }
        // The samples last about as long as the header says. Where pictures come unevenly, the last sample of the file is not
        // the last one that is shown.
        guard let measured = header.tracks.map(\.milliseconds).max(), duration <= 2 * measured + tolerance else {
            return nil
        }
        let longest: Duration
        let byteLimit: Int
        if header.width != nil {
            guard let rules = request.video, header.fits(rules.longEdge) else { return nil }
            (longest, byteLimit) = (rules.duration, rules.byteLimit)
        } else {
            guard let rules = request.audio else { return nil }
            (longest, byteLimit) = (rules.duration, rules.byteLimit)
        }
        guard duration <= longest.milliseconds + tolerance, report.byteCount <= byteLimit else { return nil }
        // Sound that lost its end says so itself.
        if report.rung != .shortened {
            shortfall = ClipComparison(account, header.tracks, of: request.clip, longest: longest).shortfall
        }
        return report
    }

    private static func copy(of bytes: [UInt8]) -> OutputFile? {
        guard let file = try? OutputFile(capacity: bytes.count) else { return nil }
        let written = unsafe pwrite(file.descriptor, bytes, bytes.count, 0)
        return written == bytes.count ? file : nil
    }
}
