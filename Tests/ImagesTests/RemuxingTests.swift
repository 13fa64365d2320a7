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
            #expect(JPEGContainer.stripped(last.bytes) == last.bytes)
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
            #expect(output.last?.bytes == gif([]))
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
                #expect(JPEGContainer.stripped(Array(jpeg.prefix(jpeg.count * step / 200))) == nil)
                #expect(PNGContainer.stripped(Array(png.prefix(png.count * step / 200))) == nil)
                #expect(GIFContainer.stripped(Array(gif.prefix(gif.count * step / 200))) == nil)
            }
        }
    }
}
