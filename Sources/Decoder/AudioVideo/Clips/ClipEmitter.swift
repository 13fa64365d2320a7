import DecoderWire
import Media

/// The emitter of finished clips and posters. It records whether it has emitted one.
final class ClipEmitter {
    private let rungs: Set<Rung>
    private let limits: MediaLimits
    private let disabled: DisabledFormats
    private let output: any RungOutput
    private let stills: any StillEmitter
    private(set) var hasEmitted = false
    /// The size of the last clip, in bytes.
    private(set) var clipByteCount: Int?

    init(for request: ConversionRequest, output: any RungOutput, stills: any StillEmitter) {
        rungs = request.rungs
        limits = request.limits
        disabled = request.disabled
        self.output = output
        self.stills = stills
    }

    func wants(_ rung: Rung) -> Bool { rungs.contains(rung) }

    func emitPoster(_ poster: PosterConversion, for request: ConversionRequest) throws(DecodeError) {
        let still = try poster.still()
        var request = request
        // A clip follows, or the deadline.
        if request.video != nil || poster.mustStop() { request.image = request.image.withoutWebP }
        try stills.emit(still, as: .poster, for: request, to: output)
        hasEmitted = true
    }

    /// Checks a clip and emits it.
    ///
    /// - Returns: The report on the clip.
    func emit(_ file: FileInMemory, _ container: Container, as rung: Rung, longest: Int64) throws(DecodeError)
        -> RungReport
    {
        let finding = try ClipCheck.finding(
            in: file,
            container,
            longest: longest,
            limits: limits,
            without: disabled,
        )
        let report = RungReport(
            rung: rung,
            format: container.format,
            byteCount: file.byteCount,
            width: finding.size?.width,
            height: finding.size?.height,
            frames: finding.size == nil ? nil : finding.frames,
            durationMilliseconds: max(1, Int((finding.duration + 500) / 1000)),
        )
        try unsafe file.withBytes { (bytes) throws(DecodeError) in try unsafe output.emit(report, bytes) }
        hasEmitted = true
        clipByteCount = file.byteCount
        return report
    }
}
