import DecoderWire
import Images
import Media
import Support
import Testing

@testable import Decoding

/// The state of libvips, which is started once per process.
private let libvips = Result { () throws(DecodeError) in try Libvips.start() }

/// Runs one transform of `source` under a profile, as the decoder process would.
///
/// - Returns: The emitted results, and the reason why there is no better one, if the transform gave one.
@discardableResult
func transform(
    _ source: MemorySource,
    _ format: MediaFormat,
    profile: Profile = .apns,
    clipping rectangle: ClippingRectangle? = nil,
    focus: FocalPoint? = nil,
    limits: MediaLimits = MediaLimits(),
    rungs: Set<Rung> = Set(Rung.allCases),
    thumbnailEdge: Int? = nil,
    without disabled: DisabledFormats = DisabledFormats(),
) throws -> (output: CollectedRungs, failure: DecodeError?) {
    try libvips.get()
    let output = CollectedRungs()
    let request = ConversionRequest(
        format: format,
        image: profile.image,
        animation: profile.animation,
        clippingRectangle: rectangle,
        focus: focus,
        limits: limits,
        rungs: rungs,
        thumbnailEdge: thumbnailEdge,
        disabled: disabled,
    )
    // The worker, which reads each output through to its end, accepts it.
    defer {
        for emitted in output.emitted {
            let size = OutputHeader(emitted.bytes.span).map { ($0.width, $0.height) }
            #expect(size.map { $0 == (emitted.report.width, emitted.report.height) } == true, "\(emitted.report)")
        }
    }
    do {
        try ImageTransform(request: request, source: source, output: output).run()
        return (output, nil)
    } catch {
        return (output, error)
    }
}
