import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Pictures of few bytes")
    struct SourceSizeTests {
        /// Returns a JPEG with soft and fine structures, in a low quality.
        private static func lowQuality(_ quality: Int) throws -> [UInt8] {
            var profile = Profile.apns
            profile.image.byteBudget = quality
            let source = PNGBuilder.picture(400, 300) { x, y in
                let fine = (x * 7 + y * 13) % 61
                return [UInt8(60 + x / 4 + fine), UInt8(200 - y / 3), UInt8(90 + (x + y) / 8 + fine)]
            }
            let (output, _) = try transform(MemorySource(source), .png, profile: profile, rungs: [.downscaled])
            return try #require(output.last).bytes
        }

        @Test("a small JPEG that must be turned doesn't grow, and looks as before", arguments: [22_000, 30_000])
        func turned(byteCount: Int) throws {
            let plain = try Self.lowQuality(byteCount)
            let source = JPEGBuilder.oriented(plain, 6)
            let emitted = try #require(try transform(MemorySource(source), .jpeg).output.last)
            #expect(emitted.report.rung == .downscaled)
            #expect(emitted.report.width == 300 && emitted.report.height == 400)
            #expect(emitted.bytes.count <= source.count, "\(emitted.bytes.count) of \(source.count)")
            let (before, after) = (try Pixels(plain, .jpeg), try Pixels(emitted))
            let errors = stride(from: 5, to: 400, by: 9).map { x in
                zip(before.at(x, 150), after.at(149, x)).map { abs($0 - $1) }.max() ?? 0
            }
            #expect(errors.reduce(0, +) / errors.count < 16, "\(errors)")
        }

        @Test("noise in pixels that are almost clear takes no bytes, and all that can be seen stays")
        func noise() throws {
            var state: UInt32 = 5
            let source = PNGBuilder.picture(
                300,
                200,
                .rgba,
                extraChunks: [("gAMA", [0, 0, 0xB1, 0x8F]), ("zzZz", [1])]
            ) {
                x,
                y in
                state = state &* 1_664_525 &+ 1_013_904_223
                let noise = [UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(state >> 8 & 255)]
                return x < 200 ? noise + [UInt8(x / 50)] : [200, 30, 40, UInt8(x < 250 ? 100 : 255)]
            }
            let emitted = try #require(
                try transform(MemorySource(source), .png, rungs: [.downscaled]).output.last
            )
            #expect(emitted.report.format == .png)
            #expect(emitted.bytes.count < 48_000, "\(emitted.bytes.count)")
            let (before, after) = (try Pixels(source, .png), try Pixels(emitted))
            for (x, y) in [(0, 0), (49, 9), (50, 7), (120, 60), (199, 199), (200, 0), (299, 150)] {
                let (old, new) = (before.at(x, y), after.at(x, y))
                #expect(old[3] == new[3])
                for band in 0..<3 {
                    #expect(abs(old[band] * old[3] - new[band] * new[3]) <= 128, "\(x), \(y): \(old), \(new)")
                }
            }
            #expect(after.at(0, 0) == [0, 0, 0, 0])
            #expect(after.at(299, 150) == before.at(299, 150))
        }
    }
}
