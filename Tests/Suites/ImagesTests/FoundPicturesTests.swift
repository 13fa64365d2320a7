import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Pictures that once came out wrong", .needsSharedMedia)
    struct FoundPicturesTests {
        private func bytes(_ name: String) throws -> [UInt8] { try SharedMedia.bytes("found/\(name)") }

        @Test("bytes behind a PNG's compressed pixels are not delivered, and the pixels are")
        func trailing() throws {
            let source = try bytes("png-idat-trailing.png")
            let (output, _) = try transform(MemorySource(source), .png)
            #expect(output.rungs == [.remuxed])
            let last = try #require(output.last)
            #expect(last.bytes.count < source.count)
            #expect(try Pixels(last).values == Pixels(source, .png, isStrict: false).values)
            #expect(PNGContainer.stripped(last.bytes) == last.bytes)
        }

        @Test("a GIF with a frame outside its screen is encoded again, within the screen")
        func outside() throws {
            let source = try bytes("Pillow__decompression_bomb_extents.gif")
            for profile in Profile.builtIn {
                let (output, _) = try transform(MemorySource(source), .gif, profile: profile)
                #expect(!output.rungs.contains(.remuxed))
                for emitted in output.emitted {
                    #expect(max(emitted.report.width ?? 0, emitted.report.height ?? 0) == 100)
                    if emitted.report.format == .gif { #expect(GIFContainer.stripped(emitted.bytes) != nil) }
                }
            }
        }

        @Test("a JPEG whose profile has only the perceptual intent has its colors")
        func perceptual() throws {
            let (output, _) = try transform(MemorySource(bytes("libvips__sample-xyb.jpg")), .jpeg)
            #expect(output.rungs == [.downscaled])
            let pixels = try Pixels(#require(output.last))
            // Without the profile, the average is green: 60, 168, 107.
            let sums = (0..<3).map { band in
                stride(from: band, to: pixels.values.count, by: 3).reduce(0) { $0 + Int(pixels.values[$1]) }
            }
            let means = sums.map { $0 / (pixels.width * pixels.height) }
            #expect(abs(means[1] - means[0]) < 60, "\(means)")
        }
    }
}
