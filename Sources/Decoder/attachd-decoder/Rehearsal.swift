import DecoderWire
import Images
import Media

/// Jobs with a tiny picture, before the first fork.
///
/// The Swift runtime looks up each type when it is first used. A forked process inherits what was looked up here, which
/// saves a picture of 320 pixels a quarter of a millisecond.
enum Rehearsal {
    /// Runs the jobs through the same steps as in a decoder process, without the worker.
    static func run() {
        guard let source = Libvips.jpegSample else { return }
        // Below the sample's size, and above it.
        for longEdge in [4, 16] {
            let rules = ImageRules(longEdge: longEdge, byteBudget: byteLimit, byteLimit: byteLimit)
            let request = ConversionRequest(format: .jpeg, image: rules, animation: nil)
            let progress = SourceProgress(present: ByteRanges([0..<byteLimit]), size: byteLimit, isEnded: true)
            let message = WorkerMessage.transform(request, source: progress, outputs: 1, outputCapacity: byteLimit)
            guard case .transform(let read, _, _, _)? = try? WorkerMessage(packet: message.packet) else { return }
            try? ImageTransform(request: read, source: source, output: DroppedOutput()).run()
        }
    }

    private static let byteLimit = 100_000
}

/// An output whose messages nobody receives.
private final class DroppedOutput: RungOutput {
    func describe(_ report: SourceReport, memoryBytes: Int) {
        _ = DecoderMessage.source(report, memoryBytes: memoryBytes).packet
    }

    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        _ = DecoderMessage.rung(report, output: 0).packet
    }

    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {}
}
