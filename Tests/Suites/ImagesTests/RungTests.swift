import Base
import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("The ladder of rungs")
    struct RungTests {
        private let photo = "images/mate__YellowFlower.jpg"

        private func withThumbnail() throws -> [UInt8] {
            let bytes = try SharedMedia.bytes(photo)
            var tiny = Profile.apns
            tiny.image.longEdge = 160
            let thumbnail = try #require(try transform(MemorySource(bytes), .jpeg, profile: tiny).output.last)
            return JPEGBuilder.with(thumbnail: thumbnail.bytes, in: bytes)
        }

        @Test("the embedded thumbnail comes first while the source is still arriving", .needsSharedMedia)
        func thumbnailFirst() throws {
            let source = MemorySource(try withThumbnail(), readsUntilWhole: 40)
            let (output, failure) = try transform(source, .jpeg)
            #expect(failure == nil)
            #expect(output.rungs == [.embeddedThumbnail, .downscaled])
            #expect(output.emitted.first?.report.width == 160)
        }

        @Test("a complete source needs no thumbnail", .needsSharedMedia)
        func noThumbnail() throws {
            let (output, _) = try transform(MemorySource(try withThumbnail()), .jpeg)
            #expect(output.rungs == [.downscaled])
        }

        @Test("the thumbnail alone is made if nothing better is requested", .needsSharedMedia)
        func thumbnailOnly() throws {
            let (output, _) = try transform(MemorySource(try withThumbnail()), .jpeg, rungs: [.embeddedThumbnail])
            #expect(output.rungs == [.embeddedThumbnail])
            let last = try #require(output.last)
            #expect(abs(Double(last.report.height ?? 0) - 100) <= 1)
        }

        @Test("a thumbnail that is not a picture is skipped")
        func brokenThumbnail() throws {
            let picture = PNGBuilder.picture(1200, 800) { x, y in [UInt8(x & 255), UInt8(y & 255), 0] }
            let jpeg = try #require(try transform(MemorySource(picture), .png, rungs: [.downscaled]).output.last).bytes
            let broken = JPEGBuilder.with(thumbnail: [0xFF, 0xD8, 0xFF, 0xC0, 1, 2, 3], in: jpeg)
            let (output, failure) = try transform(
                MemorySource(broken),
                .jpeg,
                rungs: [.embeddedThumbnail, .downscaled]
            )
            #expect(failure == nil)
            #expect(output.rungs == [.downscaled])
        }

        @Test("fast has at least half of the target's size", .needsSharedMedia)
        func fast() throws {
            let bytes = try SharedMedia.bytes(photo)
            let (output, _) = try transform(MemorySource(bytes), .jpeg, rungs: [.fast])
            #expect(output.rungs == [.fast])
            #expect(output.last?.report.width == 640)
        }

        @Test("no better rung is started once something is ready and time is nearly up", .needsSharedMedia)
        func timeWillExpire() throws {
            let source = MemorySource(try withThumbnail(), readsUntilWhole: 1_000_000)
            source.byteCountAtExpiry = 0
            let (output, _) = try transform(source, .jpeg)
            #expect(output.rungs == [.embeddedThumbnail])
        }

        @Test("with nothing ready, the picture is made even when time is nearly up", .needsSharedMedia)
        func nothingReady() throws {
            let source = MemorySource(try SharedMedia.bytes(photo))
            source.byteCountAtExpiry = 0
            #expect(try transform(source, .jpeg).output.rungs == [.downscaled])
        }

        @Test("only requested rungs are made", .needsSharedMedia)
        func onlyWhatIsAsked() throws {
            let bytes = try SharedMedia.bytes("images/sharp__rotating-squares.webp")
            #expect(try transform(MemorySource(bytes), .webp, rungs: [.firstFrame]).output.rungs == [.firstFrame])
            #expect(try transform(MemorySource(bytes), .webp, rungs: [.animation]).output.rungs == [.animation])
        }

        @Test("a format that is not an image is refused")
        func noImage() throws {
            let (output, failure) = try transform(MemorySource([1, 2, 3]), .mp4)
            #expect(failure?.reason == .unsupportedFormat)
            #expect(output.descriptions == 0)
        }
    }
}
