import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Sources that the profile already allows")
    struct RemuxingTests {
        private func jpeg() throws -> [UInt8] {
            let picture = PNGBuilder.picture(300, 200) { x, y in [UInt8(x & 255), UInt8(y), 90] }
            return try #require(try transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
        }

        @Test(
            "a JPEG keeps its coded data and loses everything else",
            arguments: [0xE1, 0xE2, 0xED, 0xE5, 0xFE] as [UInt8]
        )
        func jpegSegments(marker: UInt8) throws {
            let plain = try jpeg()
            let secret = Array("CANARY-PII".utf8)
            let source = JPEGBuilder.with(marker, secret, in: plain) + secret
            let (output, _) = try transform(MemorySource(source), .jpeg)
            #expect(output.rungs == [.remuxed])
            let last = try #require(output.last)
            #expect(!last.bytes.contains(secret))
            #expect(last.bytes.count <= plain.count)
            #expect(try Pixels(last).values == Pixels(plain, .jpeg).values)
            #expect(JPEGContainer.rewritten(last.bytes, limit: .max) == last.bytes)
        }

        @Test(
            "a PNG keeps its coded data and loses everything else",
            arguments: ["tEXt", "eXIf", "iTXt", "zTXt", "tIME", "prVt"]
        )
        func pngChunks(type: String) throws {
            let secret = Array("CANARY-PII".utf8)
            let pixel = { (x: Int, y: Int) in [UInt8(x), UInt8(y), 90] }
            let plain = PNGBuilder.picture(30, 20, pixel: pixel)
            let source = PNGBuilder.picture(30, 20, extraChunks: [(type, secret)], pixel: pixel) + secret
            let (output, _) = try transform(MemorySource(source), .png)
            #expect(output.rungs == [.remuxed])
            #expect(output.last?.bytes == plain)
        }

        @Test("a PNG with an unknown critical chunk is encoded again")
        func unknownCriticalChunk() {
            let source = PNGBuilder.picture(3, 2, extraChunks: [("ABCD", [1])]) { _, _ in [1, 2, 3] }
            #expect(PNGContainer.stripped(source) == nil)
        }

        @Test(
            "a PNG that breaks a rule of its chunks is never delivered as it is",
            arguments: [
                ("no row of pixels", [("IDAT", [])]),
                ("a transparent color beyond the depth", [("tRNS", [0, 1, 2, 0, 0, 3])]),
                ("two transparent colors", [("tRNS", [0, 1, 0, 1, 0, 1]), ("tRNS", [0, 1, 0, 1, 0, 1])]),
            ] as [(String, [(type: String, data: [UInt8])])]
        )
        func brokenRules(name: String, chunks: [(type: String, data: [UInt8])]) throws {
            let parts = PNGBuilder.Parts(30, 20) { x, y in [UInt8(x), UInt8(y), 90] }
            let source = chunks[0].type == "IDAT" ? parts.file(pixels: [[]]) : parts.file(extra: chunks)
            #expect(PNGContainer.stripped(source) == nil)
        }

        @Test(
            "a PNG with a broken chunk beside its pixels is delivered without it",
            arguments: ["gAMA", "cHRM", "sRGB", "iCCP", "pHYs", "bKGD", "sBIT", "hIST", "tIME", "cICP", "eXIf"]
        )
        func brokenChunks(type: String) throws {
            let parts = PNGBuilder.Parts(30, 20) { x, y in [UInt8(x), UInt8(y), 90] }
            let plain = parts.file()
            for data in [[], [0], [UInt8](repeating: 0, count: 40), [UInt8](repeating: 0xFF, count: 40)] as [[UInt8]] {
                #expect(PNGContainer.stripped(parts.file(extra: [(type, data)])) == plain)
            }
            var wrongSum = parts.file(extra: [(type, [0, 0, 0xB1, 0x8F])])
            wrongSum[8 + 25 + 8 + 4] ^= 1
            #expect(PNGContainer.stripped(wrongSum) == plain)
        }

        @Test("a picture of a palette has exactly one, which fits")
        func palettes() throws {
            var parts = PNGBuilder.Parts(30, 20, .gray) { x, _ in [UInt8(x % 3)] }
            // The color type of a palette.
            parts.header[9] = 3
            let colors: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255]
            let good = parts.file(extra: [("PLTE", colors), ("tRNS", [0, 128, 255])])
            #expect(PNGContainer.stripped(good) == good)
            let bad: [[(type: String, data: [UInt8])]] = [
                [], [("PLTE", colors), ("PLTE", colors)], [("PLTE", [])], [("PLTE", [1, 2, 3, 4])],
                [("PLTE", [UInt8](repeating: 7, count: 257 * 3))], [("PLTE", colors), ("tRNS", [1, 2, 3, 4])],
                [("tRNS", [0]), ("PLTE", colors)],
            ]
            for chunks in bad { #expect(PNGContainer.stripped(parts.file(extra: chunks)) == nil) }
        }

        @Test("a PNG with a wrong checksum of its pixels is not delivered as it is")
        func wrongSum() {
            var source = PNGBuilder.picture(30, 20) { x, y in [UInt8(x), UInt8(y), 90] }
            source[source.count - 16] ^= 1
            #expect(PNGContainer.stripped(source) == nil)
        }

        @Test("an interlaced PNG keeps its coded data", .needsSharedMedia)
        func interlaced() throws {
            let source = try SharedMedia.bytes("images/sharp__tbgn2c16.png")
            // Adam7 with 16 bits a band.
            let stripped = try #require(PNGContainer.stripped(source))
            #expect(try Pixels(stripped, .png).values == Pixels(source, .png, isStrict: false).values)
        }

        @Test(
            "a GIF that breaks a rule of its images is never delivered as it is",
            arguments: [
                ("to the right of the screen", 1, 1), ("below the screen", 3, 1), ("without a width", 5, 0),
                ("without a height", 7, 0), ("wider than its pixels", 5, 21), ("smaller than its pixels", 7, 9),
            ] as [(String, Int, UInt8)]
        )
        func brokenImage(name: String, offset: Int, value: UInt8) throws {
            var source = GIFBuilder.animation(20, 10, frames: 3, delay: 7) { frame, x, y in x + y + frame * 20 }
            #expect(GIFContainer.stripped(source) != nil)
            // The descriptor follows the control, which follows the table of colors and the number of loops.
            let descriptor = 13 + 128 * 3 + 19 + 8
            #expect(source[descriptor] == 0x2C)
            source[descriptor + offset] = value
            #expect(GIFContainer.stripped(source) == nil)
        }

        @Test("a GIF whose last image lacks its end is not delivered as it is")
        func missingPixels() {
            let source = GIFBuilder.animation(20, 10, frames: 2, delay: 7) { _, x, y in x + y }
            // The code for the end, the empty block, and the end of the file.
            #expect(source.suffix(3) == [0x81, 0, 0x3B])
            for code in [0x80, 0x82, 0xFF, 5] as [UInt8] {
                var source = source
                source[source.count - 3] = code
                #expect((GIFContainer.stripped(source) == nil) == (code != 0x80), "\(code)")
            }
            var short = source
            short[short.count - 4] = 0x81
            #expect(GIFContainer.stripped(short) == nil)
        }

        @Test("a GIF with a screen over the limit is refused, whatever its images")
        func hugeScreen() throws {
            var source = GIFBuilder.animation(20, 10, frames: 1, delay: 7) { _, x, y in x + y }
            source.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
            let (output, failure) = try transform(MemorySource(source), .gif)
            #expect(failure?.reason == .tooManyPixels)
            #expect(output.emitted.isEmpty)
        }

        @Test("a JPEG keeps its coefficients, and stays progressive if it is so", .needsSharedMedia)
        func jpegScans() throws {
            for name in [
                "images/mate__YellowFlower.jpg", "images/plasma__Autumn_2560x1600.jpg", "images/skimage__rocket.jpg",
            ] {
                let source = try SharedMedia.bytes(name)
                let copy = try #require(JPEGContainer.rewritten(source, limit: .max))
                #expect(copy.count <= source.count)
                #expect(JPEGContainer.coversWholePicture(copy) == JPEGContainer.coversWholePicture(source))
                #expect(try Pixels(copy, .jpeg).values == Pixels(source, .jpeg).values)
                #expect(JPEGContainer.rewritten(source, limit: copy.count - 1) == nil)
            }
        }

        @Test("a GIF keeps its pictures and times, and loses comments and other applications' data")
        func gif() throws {
            let secret = Array("CANARY-PII".utf8)
            let comment: [UInt8] = [0x21, 0xFE, 10] + secret + [0]
            let application: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [10] + secret + [0]
            func gif(_ extensions: [UInt8]) -> [UInt8] {
                GIFBuilder.animation(20, 10, frames: 3, delay: 7, extensions: extensions) { frame, x, y in
                    x + y + frame * 20
                }
            }
            let (output, _) = try transform(MemorySource(gif(comment + application) + secret), .gif)
            #expect(output.rungs == [.remuxed])
            #expect(output.last?.bytes == GIFContainer.stripped(gif([])))
            #expect(try Pixels(#require(output.last)).values == Pixels(gif([]), .gif, frames: 3).values)
            #expect(output.last?.report.frames == 3)
            #expect(output.last?.report.durationMilliseconds == 210)
        }

        @Test("a file over the budget is encoded again, smaller")
        func overBudget() throws {
            let source = try jpeg()
            var profile = Profile.apns
            profile.image.byteBudget = source.count / 2
            let (output, _) = try transform(MemorySource(source), .jpeg, profile: profile)
            #expect(output.rungs == [.downscaled])
            #expect((output.last?.bytes.count ?? .max) <= source.count / 2)
        }

        @Test("a file with a decoding warning is not kept")
        func damaged() throws {
            var source = try jpeg()
            let middle = source.count / 2
            for index in middle..<middle + 24 { source[index] = 0 }
            let (output, _) = try transform(MemorySource(source), .jpeg)
            #expect(!output.rungs.contains(.remuxed))
        }

        @Test("a profile without animations gets no GIF", .needsSharedMedia)
        func stillProfile() throws {
            let source = try SharedMedia.bytes("images/Pillow__hopper.gif")
            let (output, _) = try transform(MemorySource(source), .gif, profile: .fcm)
            #expect(output.rungs == [.downscaled])
            #expect(output.last?.report.format == .jpeg)
        }

        @Test("containers that are truncated anywhere are refused, and don't crash", .needsSharedMedia)
        func truncated() throws {
            let jpeg = try SharedMedia.bytes("images/libavif__paris_exif_xmp_icc.jpg")
            let png = try SharedMedia.bytes("images/sharp__swiss.png")
            let gif = GIFBuilder.animation(40, 30, frames: 5, delay: 3) { frame, x, y in frame + x + y }
            for step in 0..<200 {
                #expect(JPEGContainer.rewritten(Array(jpeg.prefix(jpeg.count * step / 200)), limit: .max) == nil)
                #expect(PNGContainer.stripped(Array(png.prefix(png.count * step / 200))) == nil)
                #expect(GIFContainer.stripped(Array(gif.prefix(gif.count * step / 200))) == nil)
            }
        }
    }
}
