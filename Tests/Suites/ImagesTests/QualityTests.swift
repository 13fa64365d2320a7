import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("The quality of pictures")
    struct QualityTests {
        @Test("light adds up: a fine pattern of black and white becomes the gray that an eye sees from afar")
        func linearLight() throws {
            let source = PNGBuilder.picture(2076, 600) { x, _ in x % 2 == 0 ? [0, 0, 0] : [255, 255, 255] }
            let pixels = try Pixels(try #require(try transform(MemorySource(source), .png).output.last))
            // Half of the light is 188 in sRGB (IEC 61966-2-1); the mean of the values would be 128.
            #expect(isNear(pixels.at(519, 150), [188, 188, 188], within: 2))
        }

        @Test("scaling changes no plain color", arguments: [0, 1, 2, 9, 10, 11, 40, 128, 200, 254, 255] as [UInt8])
        func plain(value: UInt8) throws {
            let source = PNGBuilder.picture(2000, 300) { _, _ in [value, value, value] }
            let pixels = try Pixels(try #require(try transform(MemorySource(source), .png).output.last))
            #expect(isNear(pixels.at(500, 70), [Int](repeating: Int(value), count: pixels.bands), within: 1))
        }

        @Test("the color of invisible pixels does not mix into visible ones")
        func alpha() throws {
            // Red, with one transparent blue pixel of two.
            let source = PNGBuilder.picture(2076, 600, .rgba) { x, _ in x % 2 == 0 ? [220, 0, 0, 255] : [0, 0, 255, 0] }
            let pixels = try Pixels(try #require(try transform(MemorySource(source), .png).output.last))
            #expect(isNear(pixels.at(519, 150), [220, 0, 0, 128], within: 3))
        }

        @Test("a graphic with lines in saturated colors keeps all samples of color, a photo a quarter of them")
        func samples() throws {
            let lines = PNGBuilder.picture(800, 600) { x, y in
                y % 150 == 75 || x % 200 == 99 ? [230, 0, 0] : [0, 0, 120]
            }
            #expect(try Self.sampling(of: lines) == 0x11)
            let soft = PNGBuilder.picture(800, 600) { x, y in [UInt8(x / 4), UInt8(y / 3), 90] }
            #expect(try Self.sampling(of: soft) == 0x22)
        }

        @Test("a picture with much fine detail gets a better quality, if it has the bytes for it")
        func detail() throws {
            let noise = PNGBuilder.picture(400, 300) { x, y in
                let value = UInt8(60 + (x * x * 31 + y * y * 17 + x * y) % 140)
                return [value, value, value]
            }
            var tight = Profile.apns
            let usual = try #require(try transform(MemorySource(noise), .png, rungs: [.downscaled]).output.last)
            tight.image.byteBudget = usual.bytes.count - 1
            let second = try #require(
                try transform(MemorySource(noise), .png, profile: tight, rungs: [.downscaled]).output.last
            )
            #expect(try Self.firstStep(of: usual.bytes) < Self.firstStep(of: second.bytes))
            #expect(second.bytes.count < usual.bytes.count)
        }

        /// The sampling factors of the brightness (ITU-T T.81 B.2.2).
        private static func sampling(of png: [UInt8]) throws -> UInt8 {
            let emitted = try #require(try transform(MemorySource(png), .png, rungs: [.downscaled]).output.last)
            let frame = try #require(position(of: 0xC0, in: emitted.bytes))
            return emitted.bytes[frame + 11]
        }

        /// The step of the lowest frequency, the first value of the first quantization table (ITU-T T.81 B.2.4.1).
        private static func firstStep(of jpeg: [UInt8]) throws -> UInt8 {
            jpeg[try #require(position(of: 0xDB, in: jpeg)) + 5]
        }

        private static func position(of marker: UInt8, in jpeg: [UInt8]) -> Int? {
            jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == marker }
        }
    }
}
