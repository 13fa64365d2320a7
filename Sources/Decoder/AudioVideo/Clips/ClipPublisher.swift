import DecoderWire
import Media

/// The publisher of finished clips and posters. It records whether it has emitted one.
final class ClipPublisher {
    private let rungs: Set<Rung>
    private let output: any RungOutput
    private let stills: any StillPublisher
    private(set) var hasPublished = false

    init(rungs: Set<Rung>, output: any RungOutput, stills: any StillPublisher) {
        self.rungs = rungs
        self.output = output
        self.stills = stills
    }

    func wants(_ rung: Rung) -> Bool { rungs.contains(rung) }

    func publishPoster(_ poster: PosterConversion, for request: ConversionRequest) throws(DecodeFailure) {
        try stills.publish(
            poster.still(),
            as: .poster,
            rules: request.image,
            previewEdge: request.previewEdge,
            to: output,
        )
        hasPublished = true
    }

    /// Checks a clip and emits it.
    ///
    /// - Returns: The report on the clip.
    func publish(_ file: FileInMemory, _ container: Container, as rung: Rung, longest: Int64) throws(DecodeFailure)
        -> RungReport
    {
        let finding = try ClipCheck.finding(in: file, container, longest: longest)
        let report = RungReport(
            rung: rung,
            format: container.format,
            byteCount: file.byteCount,
            width: finding.size?.width,
            height: finding.size?.height,
            frames: finding.size == nil ? nil : finding.frames,
            durationMilliseconds: Int((finding.duration + 500) / 1000),
        )
        try unsafe file.withBytes { (bytes) throws(DecodeFailure) in try unsafe output.publish(report, bytes) }
        hasPublished = true
        return report
    }
}
