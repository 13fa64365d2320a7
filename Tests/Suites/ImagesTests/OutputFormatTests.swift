import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("The formats in which pictures are delivered")
    struct OutputFormatTests {
        @Test("each has a source that is delivered in it")
        func all() throws {
            let opaque = PNGBuilder.picture(30, 20) { x, y in [UInt8(x), UInt8(y), 90] }
            let transparent = PNGBuilder.picture(30, 20, .rgba) { x, y in [UInt8(x), UInt8(y), 90, 100] }
            let moving = GIFBuilder.animation(64, 48, frames: 4, delay: 10) { frame, _, _ in frame * 60 }
            var found: Set<OutputFormat> = []
            let listed = OutputFormat.optional.map { (opaque, MediaFormat.png, [$0, .fallback]) }
            let sources = [(opaque, MediaFormat.png), (transparent, .png), (moving, .gif)]
            for (source, format, formats) in sources.map({ ($0.0, $0.1, [OutputFormat.fallback]) }) + listed {
                var profile = Profile.apns
                profile.image.formats = formats
                let (output, _) = try transform(MemorySource(source), format, profile: profile, rungs: Rung.full)
                found.formUnion(output.emitted.map(\.report.format))
            }
            #expect(found == Set(OutputFormat.allCases.filter { $0.kind == .image }))
        }
    }
}
