import AudioVideo
import DecoderWire
import Images
import Media
import Support
import Testing

@testable import Decoding

/// The libraries, which are started once per process.
private let libraries = Result { () throws(DecodeError) in
    try Libvips.start()
    Libav.warmUp()
}

/// Runs one transform of `source` under a profile, as the decoder process would.
///
/// Returns the emitted results, and the reason why there is no better one, if the transform gave one.
@discardableResult
func transform(
    _ source: any SourceBytes,
    _ format: MediaFormat,
    profile: Profile = .apns,
    clip: ClipSelection = ClipSelection(),
    limits: MediaLimits = MediaLimits(),
    rungs: Set<Rung> = Set(Rung.allCases),
    thumbnailEdge: Int? = nil,
    timeLeft: Duration? = nil,
    without disabled: DisabledFormats = DisabledFormats(),
) throws -> (output: CollectedRungs, failure: DecodeError?) {
    try libraries.get()
    let output = CollectedRungs()
    let request = ConversionRequest(
        format: format,
        image: profile.image,
        animation: profile.animation,
        video: profile.video,
        audio: profile.audio,
        clip: clip,
        limits: limits,
        rungs: rungs,
        thumbnailEdge: thumbnailEdge,
        timeLeft: timeLeft,
        disabled: disabled,
    )
    defer { expectAcceptance(of: output) }
    do {
        try ClipTransform(request: request, source: source, output: output, stills: PosterEmitter()).run()
        return (output, nil)
    } catch {
        return (output, error)
    }
}

/// Expects that the worker, which reads each output through to its end, accepts it.
private func expectAcceptance(of output: CollectedRungs) {
    for emitted in output.emitted {
        let report = emitted.report
        let size = OutputHeader(emitted.bytes.span).map { ($0.width, $0.height) }
        #expect(size.map { $0 == (report.width, report.height) } == true, "\(report)")
    }
}

/// Returns the format of a source as the worker recognizes it, step by step.
func recognizedFormat(of bytes: [UInt8]) -> MediaFormat? {
    var recognition = FormatRecognition()
    var step = recognition.take(Array(bytes.prefix(MediaSniffer.byteCount)).span)
    while case .looksAt(let range) = step {
        step = recognition.take(Array(bytes[range.clamped(to: 0..<bytes.count)]).span)
    }
    guard case .recognized(let format) = step else { return nil }
    return format
}
