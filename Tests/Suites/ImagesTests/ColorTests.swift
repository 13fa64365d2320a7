import Foundation
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Colors")
    struct ColorTests {
        /// Converts with IEC 61966-2-1, and Display P3's primaries (SMPTE EG 432-1) relative to sRGB's.
        private func sRGB(fromDisplayP3 color: [Int]) -> [Int] {
            let linear = color.map { value in
                let v = Double(value) / 255
                return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
            }
            let matrix = [[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]]
            return matrix.map { row in
                let v = min(1, max(0, zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 }))
                return Int((255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055)).rounded())
            }
        }

        @Test("Display P3 becomes sRGB", .needsSharedMedia)
        func displayP3() throws {
            let bytes = try SharedMedia.bytes("images/sharp__p3.png")
            let (output, _) = try transform(MemorySource(bytes), .png)
            #expect(output.rungs == [.downscaled])
            let source = try Pixels(bytes, .png)
            let result = try Pixels(#require(output.last))
            for (x, y) in [(0, 0), (4, 4), (7, 7)] {
                let expected = sRGB(fromDisplayP3: Array(source.at(x, y).prefix(3)))
                #expect(isNear(Array(result.at(x, y).prefix(3)), expected, within: 6))
            }
        }

        @Test("CMYK becomes RGB, light where there is no ink", .needsSharedMedia)
        func cmyk() throws {
            let bytes = try SharedMedia.bytes("images/Pillow__pil_sample_cmyk.jpg")
            let source = try Pixels(bytes, .jpeg)
            let result = try Pixels(#require(try transform(MemorySource(bytes), .jpeg).output.last))
            #expect(source.bands == 4)
            #expect(result.bands == 3)
            // Plain ink arithmetic is not color management, but it tells light from dark and red from blue.
            for (x, y) in [(10, 10), (50, 50), (90, 90), (20, 80)] {
                let ink = source.at(x, y)
                let naive = (0..<3).map { (255 - ink[$0]) * (255 - ink[3]) / 255 }
                #expect(isNear(result.at(x, y), naive, within: 70))
            }
        }

        @Test("16 bits become 8, with the same brightness", .needsSharedMedia)
        func sixteenBits() throws {
            let bytes = try SharedMedia.bytes("images/Pillow__tiff_16bit_RGB.tiff")
            let source = try Pixels(bytes, .tiff)
            let result = try Pixels(#require(try transform(MemorySource(bytes), .tiff).output.last))
            #expect(result.likeness(to: source) > 30)
        }

        @Test("gray stays gray", .needsSharedMedia)
        func gray() throws {
            let bytes = try SharedMedia.bytes("images/Pillow__hopper_gray.jpg")
            let (output, _) = try transform(MemorySource(bytes), .jpeg, rungs: [.downscaled])
            #expect(try Pixels(#require(output.last)).bands == 1)
        }

        @Test(
            "a PNG's own numbers for its colors count",
            arguments: [
                ([12, 13, 0, 1], [234, 51, 35], [255, 0, 0]), ([9, 16, 0, 1], [148, 148, 148], [255, 255, 255]),
                ([9, 18, 0, 1], [191, 191, 191], [255, 255, 255]), ([1, 13, 0, 1], [10, 120, 200], [10, 120, 200]),
                ([1, 13, 0, 0], [16, 235, 126], [0, 255, 128]), ([12, 13, 9, 1], [234, 51, 35], [234, 51, 35]),
            ] as [([UInt8], [UInt8], [Int])]
        )
        func numbers(numbers: [UInt8], color: [UInt8], expected: [Int]) throws {
            for source in [
                PNGBuilder.picture(64, 48, extraChunks: [("cICP", numbers)]) { _, _ in color },
                PNGBuilder.picture(1200, 48, .rgba, extraChunks: [("cICP", numbers)]) { _, _ in color + [200] },
            ] {
                let (output, _) = try transform(MemorySource(source), .png)
                let last = try #require(output.last)
                #expect(!last.bytes.contains("cICP".utf8))
                #expect(isNear(Array(try Pixels(last).at(20, 20).prefix(3)), expected, within: 5))
            }
        }

        @Test("16 bits of high dynamic range keep their dark steps")
        func darkSteps() throws {
            // From 0 to about 10 candela per square metre, which are 24 of 256 steps of 8 bits.
            let source = PNGBuilder.picture(512, 48, .rgb16, extraChunks: [("cICP", [9, 16, 0, 1])]) { x, _ in
                let value = x * 40
                return [[UInt8]](repeating: [UInt8(value >> 8), UInt8(value & 255)], count: 3).flatMap(\.self)
            }
            let pixels = try Pixels(#require(try transform(MemorySource(source), .png).output.last))
            let steps = Set((0..<512).map { pixels.at($0, 20)[1] })
            #expect(steps.count > 50)
        }

        @Test(
            "a small PNG keeps its gamma, and a large one is converted by it",
            arguments: [(64, Rung.remuxed, 128), (1200, .downscaled, 188)]
        )
        func gamma(width: Int, rung: Rung, value: Int) throws {
            let source = PNGBuilder.picture(width, 48, extraChunks: [("gAMA", [0, 1, 0x86, 0xA0])]) { _, _ in
                [128, 128, 128]
            }
            let last = try #require(try transform(MemorySource(source), .png).output.last)
            #expect(last.report.rung == rung)
            #expect(last.bytes.contains("gAMA".utf8) == (rung == .remuxed))
            #expect(isNear(Array(try Pixels(last).at(20, 20).prefix(1)), [value], within: 3))
        }

        @Test("a transparent picture stays transparent, and its edges keep their color")
        func transparency() throws {
            // Opaque red beside invisible green, which must not bleed into the red when scaled.
            let source = PNGBuilder.picture(2076, 100, .rgba) { x, _ in x < 1038 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
            let (output, _) = try transform(MemorySource(source), .png)
            #expect(output.last?.report.format == .png)
            let pixels = try Pixels(#require(output.last))
            #expect(pixels.at(500, 20) == [255, 0, 0, 255])
            #expect(pixels.at(530, 20)[3] == 0)
            for x in 510..<530 where pixels.at(x, 20)[3] > 0 { #expect(pixels.at(x, 20)[1] < 10) }
        }

        @Test("a profile without transparency gets white behind the picture")
        func flattened() throws {
            var profile = Profile.apns
            profile.image.keepsTransparency = false
            let source = PNGBuilder.picture(64, 64, .rgba) { x, _ in x < 32 ? [0, 0, 0, 0] : [0, 0, 0, 255] }
            let (output, _) = try transform(MemorySource(source), .png, profile: profile)
            #expect(output.last?.report.format == .jpeg)
            let pixels = try Pixels(#require(output.last))
            #expect(isNear(pixels.at(8, 30), [255, 255, 255]))
            #expect(isNear(pixels.at(56, 30), [0, 0, 0]))
        }

        @Test("an alpha channel without transparency is dropped")
        func opaqueAlpha() throws {
            let source = PNGBuilder.picture(1200, 64, .rgba) { x, y in [UInt8(x & 255), UInt8(y), 7, 255] }
            #expect(try transform(MemorySource(source), .png).output.last?.report.format == .jpeg)
        }

        @Test(
            "a transparent picture over its budget gets a palette, then loses its transparency",
            arguments: [(200_000, OutputFormat.png), (20_000, .jpeg)]
        )
        func transparentBudget(byteBudget: Int, format: OutputFormat) throws {
            var profile = Profile.apns
            profile.image.byteBudget = byteBudget
            var state: UInt32 = 3
            let source = PNGBuilder.picture(400, 400, .rgba) { x, _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return [UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(x & 255), x < 40 ? 0 : 255]
            }
            let last = try #require(try transform(MemorySource(source), .png, profile: profile).output.last)
            #expect(last.report.format == format)
            #expect(last.bytes.count <= byteBudget)
        }
    }
}
