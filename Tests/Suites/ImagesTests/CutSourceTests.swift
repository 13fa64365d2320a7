import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Truncated sources")
    struct CutSourceTests {
        private let progressive = "images/plasma__Autumn_2560x1600.jpg"
        private let baseline = "images/mate__YellowFlower.jpg"

        @Test("a quarter of a progressive JPEG's bytes gives a picture that looks like the whole", .needsSharedMedia)
        func progressiveQuarter() throws {
            let bytes = try SharedMedia.bytes(progressive)
            let cut = MemorySource(Array(bytes.prefix(bytes.count / 4)), isCut: true)
            let (output, failure) = try transform(cut, .jpeg)
            #expect(failure == nil)
            #expect(output.rungs == [.partial])
            let whole = try transform(MemorySource(bytes), .jpeg).output
            let likeness = try Pixels(#require(output.last)).likeness(to: Pixels(#require(whole.last)))
            #expect(likeness > 30)
        }

        @Test("a progressive JPEG without a whole first scan is not a picture", .needsSharedMedia)
        func progressiveStart() throws {
            let bytes = try SharedMedia.bytes(progressive)
            let (output, failure) = try transform(
                MemorySource(Array(bytes.prefix(bytes.count / 50)), isCut: true),
                .jpeg
            )
            #expect(output.emitted.isEmpty)
            #expect(failure?.reason == .truncated)
        }

        @Test(
            "a truncated baseline JPEG keeps the rows that came, without gray below them",
            .needsSharedMedia,
            arguments: [0.5, 0.9]
        )
        func baselineRows(share: Double) throws {
            let bytes = try SharedMedia.bytes(baseline)
            let cut = MemorySource(Array(bytes.prefix(Int(Double(bytes.count) * share))), isCut: true)
            let (output, failure) = try transform(cut, .jpeg)
            #expect(failure == nil)
            #expect(output.rungs == [.partial])
            let part = try Pixels(#require(output.last))
            let whole = try Pixels(#require(try transform(MemorySource(bytes), .jpeg).output.last))
            #expect(part.height < whole.height)
            #expect(part.height > whole.height / 3)
            #expect(part.likeness(to: whole.prefix(part.height)) > 34)
        }

        @Test("less than a third of a baseline JPEG is not shown", .needsSharedMedia)
        func tooLittle() throws {
            let bytes = try SharedMedia.bytes(baseline)
            let (output, failure) = try transform(
                MemorySource(Array(bytes.prefix(bytes.count / 8)), isCut: true),
                .jpeg
            )
            #expect(output.emitted.isEmpty)
            #expect(failure?.reason == .truncated)
        }

        @Test("a part of the picture keeps the profile's shape", .needsSharedMedia)
        func partialShape() throws {
            let bytes = try SharedMedia.bytes(baseline)
            let cut = MemorySource(Array(bytes.prefix(bytes.count / 2)), isCut: true)
            let last = try #require(try transform(cut, .jpeg, profile: .webpush).output.last)
            let (width, height) = (try #require(last.report.width), try #require(last.report.height))
            #expect(abs(width - 2 * height) <= 2)
        }

        @Test("a truncated PNG keeps the rows that came", .needsSharedMedia)
        func png() throws {
            let bytes = try SharedMedia.bytes("images/skimage__astronaut.png")
            let (output, _) = try transform(MemorySource(Array(bytes.prefix(bytes.count / 2)), isCut: true), .png)
            #expect(output.rungs == [.partial])
            let part = try Pixels(#require(output.last))
            let whole = try Pixels(#require(try transform(MemorySource(bytes), .png).output.last))
            #expect((whole.height / 3..<whole.height).contains(part.height))
            #expect(part.likeness(to: whole.prefix(part.height)) > 32)
        }

        @Test("a truncated animation is its first frame and the complete frames")
        func animation() throws {
            let gif = GIFBuilder.animation(64, 48, frames: 10, delay: 10) { frame, x, y in (x + y + frame * 8) % 256 }
            let cut = MemorySource(Array(gif.prefix(gif.count / 2)), isCut: true)
            let (output, failure) = try transform(cut, .gif)
            #expect(failure == nil)
            #expect(output.rungs == [.firstFrame, .shortened])
            #expect((2...5).contains(output.last?.report.frames ?? 0))
        }

        @Test("a file that was damaged at its origin is a partial picture too", .needsSharedMedia)
        func shortAtTheOrigin() throws {
            let bytes = try SharedMedia.bytes(baseline)
            let (output, _) = try transform(MemorySource(Array(bytes.prefix(bytes.count * 2 / 3))), .jpeg)
            #expect(output.rungs == [.partial])
        }

        @Test(
            "a picture that is truncated anywhere gives a true part of it or a failure reason",
            .needsSharedMedia,
            arguments: [
                "images/libavif__paris_exif_xmp_icc.jpg", "images/skimage__rocket.jpg", "images/sharp__tbgn2c16.png",
                "images/sharp__rotating-squares.gif", "images/sharp__rotating-squares.webp",
                "images/sharp__5_webp_a.webp",
                "images/generated__irot1-shared.avif", "images/media__sample_still_photo.heic",
                "images/Pillow__tiff_16bit_RGB.tiff", "images/Pillow__multipage.tiff",
            ],
        )
        func everywhere(path: String) throws {
            let bytes = try SharedMedia.bytes(path)
            let sniffed = MediaSniffer.format(of: bytes.span)
            let format = try #require(sniffed)
            for step in 0..<40 {
                let cut = MemorySource(Array(bytes.prefix(bytes.count * step / 40)), isCut: true)
                let (output, failure) = try transform(cut, format)
                #expect(failure != nil || !output.emitted.isEmpty)
                for emitted in output.emitted {
                    _ = try Pixels(emitted)
                }
            }
        }
    }
}
