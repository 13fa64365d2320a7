import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Pictures delivered as WebP")
    struct WebPTests {
        private static let profile: Profile = {
            var profile = Profile.apns
            profile.image.formats = [.webp, .jpeg]
            return profile
        }()

        private func convert(_ png: [UInt8], _ profile: Profile = Self.profile) throws -> CollectedRungs.Emitted {
            try #require(try transform(MemorySource(png), .png, profile: profile, rungs: [.downscaled]).output.last)
        }

        @Test("a photo keeps its colors and its size, and nothing but its pixels is in the file")
        func photo() throws {
            let source = PNGBuilder.picture(800, 600) { x, y in [UInt8(x / 4), UInt8(y / 3), 90] }
            let emitted = try convert(source)
            #expect(emitted.report.format == .webp && emitted.report.width == 800 && emitted.report.height == 600)
            // One chunk, from its header to the end of the file (RFC 9649, 2.5).
            #expect(emitted.bytes[12..<16].elementsEqual("VP8 ".utf8))
            let pixels = try Pixels(emitted)
            for (x, y) in [(3, 3), (400, 300), (790, 10), (10, 590)] {
                #expect(isNear(pixels.at(x, y), [x / 4, y / 3, 90], within: 5), "\(x), \(y)")
            }
        }

        @Test("a transparent picture stays transparent")
        func alpha() throws {
            let source = PNGBuilder.picture(200, 100, .rgba) { x, _ in [200, 40, 40, x < 100 ? 0 : UInt8(x)] }
            let emitted = try convert(source)
            #expect(emitted.report.format == .webp)
            let pixels = try Pixels(emitted)
            #expect(pixels.bands == 4 && pixels.at(20, 50)[3] == 0)
            #expect(isNear(pixels.at(180, 50), [200, 40, 40, 180], within: 8))
        }

        @Test("a transparent picture with lines in saturated colors stays PNG")
        func transparentLines() throws {
            let source = PNGBuilder.picture(400, 300, .rgba) { x, y in
                y % 50 == 25 || x % 40 == 19 ? [230, 0, 0, 255] : [0, 0, 0, 0]
            }
            #expect(try convert(source).report.format == .png)
        }

        @Test("a gray picture stays gray")
        func gray() throws {
            let source = PNGBuilder.picture(300, 200, .gray) { x, _ in [UInt8(x * 255 / 300)] }
            let pixels = try Pixels(try convert(source))
            for x in [10, 150, 290] {
                #expect(isNear(pixels.at(x, 100), [Int](repeating: x * 255 / 300, count: 3), within: 4))
            }
        }

        @Test("lines in saturated colors stay JPEG with all samples of color, which WebP cannot have")
        func sharpColors() throws {
            let lines = PNGBuilder.picture(800, 600) { x, y in
                y % 150 == 75 || x % 200 == 99 ? [230, 0, 0] : [0, 0, 120]
            }
            #expect(try convert(lines).report.format == .jpeg)
        }

        @Test("a picture over the byte budget becomes a JPEG of less quality or size", arguments: [false, true])
        func budget(isTransparent: Bool) throws {
            let source = PNGBuilder.picture(400, 300, isTransparent ? .rgba : .rgb) { x, y in
                let value = UInt8(60 + (x * x * 31 + y * y * 17 + x * y) % 140)
                return [value, value, value] + (isTransparent ? [UInt8(x % 200)] : [])
            }
            var tight = Self.profile
            tight.image.byteBudget = 20_000
            let emitted = try convert(source, tight)
            #expect(emitted.report.format == .jpeg && emitted.bytes.count <= 20_000)
        }
    }
}
