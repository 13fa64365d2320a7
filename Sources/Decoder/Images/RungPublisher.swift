import DecoderWire
import Media

/// The publisher of finished pictures. It records whether it has emitted one.
final class RungPublisher {
    private let rungs: Set<Rung>
    private let output: any RungOutput
    /// The longer side of the thumbnail, in pixels; `nil` if none is wanted.
    private let previewEdge: Int?
    private(set) var hasPublished = false
    private var hasPreview = false

    init(rungs: Set<Rung>, output: any RungOutput, previewEdge: Int? = nil) {
        self.rungs = rungs
        self.output = output
        self.previewEdge = previewEdge
    }

    var lacksPreview: Bool { previewEdge != nil && !hasPreview }

    func wants(_ rung: Rung) -> Bool { rungs.contains(rung) }

    func publish(_ rung: Rung, _ picture: borrowing EncodedPicture) throws(DecodeFailure) {
        let report = RungReport(
            rung: rung,
            format: picture.format,
            byteCount: picture.bytes.count,
            width: picture.size.width,
            height: picture.size.height,
            frames: picture.frames,
            durationMilliseconds: picture.durationMilliseconds,
        )
        try unsafe picture.bytes.withBytes { (bytes) throws(DecodeFailure) in try unsafe publish(report, bytes) }
    }

    func publish(_ report: RungReport, _ bytes: [UInt8]) throws(DecodeFailure) {
        // `withUnsafeBytes` of an array does not support typed throws.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(DecodeFailure) in try unsafe publish(report, bytes) }
        }
        try result.get()
    }

    /// Emits a thumbnail of a finished picture, if one is wanted and was not emitted yet.
    func publishPreview(of picture: borrowing Picture) {
        guard lacksPreview, let previewEdge else { return }
        hasPreview = true
        do {
            let preview = try picture.preview(longEdge: previewEdge)
            try unsafe preview.withBytes { (bytes) throws(DecodeFailure) in try unsafe output.publishPreview(bytes) }
        } catch {
            // The picture itself is complete, so a failed thumbnail is ignored.
        }
    }

    private func publish(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeFailure) {
        try unsafe output.publish(report, bytes)
        hasPublished = true
    }
}
