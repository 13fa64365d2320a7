import DecoderWire
import Media

/// Hands finished pictures over, and remembers whether there is one.
final class RungPublisher {
    private let rungs: Set<Rung>
    private let output: any RungOutput
    private(set) var hasPublished = false

    init(rungs: Set<Rung>, output: any RungOutput) {
        self.rungs = rungs
        self.output = output
    }

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
        // `withUnsafeBytes` of an array has no typed throws.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(DecodeFailure) in try unsafe publish(report, bytes) }
        }
        try result.get()
    }

    private func publish(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeFailure) {
        try unsafe output.publish(report, bytes)
        hasPublished = true
    }
}
