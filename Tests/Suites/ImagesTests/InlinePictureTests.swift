import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Pictures in the payload")
    struct InlinePictureTests {
        private static func profile(_ rule: InlineRule, formats: [OutputFormat] = [.jpeg]) -> Profile {
            var profile = Profile.apns
            profile.image.inline = rule
            profile.image.formats = formats
            return profile
        }

        /// Returns the tiny version reported with the last output.
        private static func inline(
            _ bytes: [UInt8],
            _ format: MediaFormat,
            _ profile: Profile,
        ) throws -> InlinePicture? {
            try transform(MemorySource(bytes), format, profile: profile).output.last?.report.inline
        }

        @Test("are made only where the profile wants them", arguments: InlineRule.allCases)
        func rules(rule: InlineRule) throws {
            let inline = try Self.inline(SampleMedia.photo, .jpeg, Self.profile(rule))
            #expect((inline == nil) == (rule == .off))
            #expect((inline?.pictures.isEmpty ?? true) == (rule != .auto))
        }

        @Test("are small files of the profile's format, the largest first", arguments: [false, true])
        func files(isWebP: Bool) throws {
            let inline = try #require(
                try Self.inline(
                    SampleMedia.photo,
                    .jpeg,
                    Self.profile(.auto, formats: isWebP ? [.webp, .jpeg] : [.jpeg])
                )
            )
            #expect(inline.format == (isWebP ? .webp : .jpeg))
            let sizes = inline.pictures.map(\.count)
            #expect((1...InlinePicture.pictureLimit).contains(sizes.count))
            #expect(sizes == sizes.sorted(by: >))
            #expect(sizes.allSatisfy { (200...InlinePicture.byteLimit).contains($0) })
            for picture in inline.pictures {
                let pixels = try Pixels(picture, inline.format.media)
                #expect(max(pixels.width, pixels.height) <= InlinePicture.longestEdge)
                #expect(abs(Double(pixels.width) / Double(pixels.height) - 1.5) < 0.1)
            }
        }

        @Test(
            "belong to every kind of picture, however it is delivered",
            .needsSharedMedia,
            arguments: [
                "images/skimage__rocket.jpg", "images/Pillow__hopper_gray.jpg", "images/Pillow__pil_sample_cmyk.jpg",
                "images/sharp__tbgn2c16.png", "images/libvips__rgba.png", "images/Pillow__hopper.gif",
                "images/sharp__rotating-squares.gif", "images/sharp__4.webp", "images/Pillow__multipage.tiff",
                "images/media__sample_still_photo.heic", "images/exif-orien__Landscape_6.jpg",
            ],
        )
        func kinds(path: String) throws {
            let bytes = try SharedMedia.bytes(path)
            let sniffed = MediaSniffer.format(of: bytes.span)
            let emitted = try transform(MemorySource(bytes), #require(sniffed), profile: Self.profile(.auto)).output
                .emitted
            let inline = try #require(emitted.compactMap(\.report.inline).last)
            #expect(InlinePicture.isThumbHash(inline.thumbHash))
            let pixels = try Pixels(#require(inline.pictures.first), .jpeg)
            let whole = try #require(emitted.last?.report)
            let (width, height) = (try #require(whole.width), try #require(whole.height))
            #expect(abs(Double(pixels.width) / Double(pixels.height) - Double(width) / Double(height)) < 0.2)
        }

        /// Hashes that the reference implementation (evanw.github.io/thumbhash, thumbhash.js) makes of these pixels.
        @Test("have the hash that the reference implementation makes", arguments: ReferenceHash.all)
        func hashes(reference: ReferenceHash) {
            let hash = ThumbHash(width: reference.width, height: reference.height, rgba: reference.rgba)
            #expect(hash.bytes == reference.hash)
            #expect(InlinePicture.isThumbHash(hash.bytes))
            #expect(!InlinePicture.isThumbHash(hash.bytes + [0]) && !InlinePicture.isThumbHash(hash.bytes.dropLast()))
        }
    }
}
