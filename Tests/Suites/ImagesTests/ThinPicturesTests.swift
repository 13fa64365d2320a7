import DecoderWire
import Media
import Support
import Testing

extension ImagesTests {
    /// libvips 8.14 ends the process when its loader shrinks a side to nothing.
    @Suite("Pictures of a few rows or columns")
    struct ThinPicturesTests {
        private static let sizes = [(4000, 1), (1, 4000), (3, 511), (2000, 7), (9, 3000), (15, 4000)]

        private static func profile(_ longEdge: Int, webP: Bool = false, inline: InlineRule = .off) -> Profile {
            var profile = Profile.apns
            profile.image.longEdge = longEdge
            profile.image.formats = webP ? [.webp, .jpeg] : [.jpeg]
            profile.image.inline = inline
            return profile
        }

        /// Returns a picture whose first half is red and whose second half is blue, along its longer side.
        private static func source(_ width: Int, _ height: Int, webP: Bool) throws -> [UInt8] {
            let png = PNGBuilder.picture(width, height) { x, y in
                2 * max(x, y) < max(width, height) ? [200, 20, 30] : [20, 30, 200]
            }
            let profile = profile(4000, webP: webP)
            return try #require(
                try transform(MemorySource(png), .png, profile: profile, rungs: [.downscaled]).output.last
            )
            .bytes
        }

        @Test("are scaled down", arguments: sizes, [false, true])
        func scaled(size: (width: Int, height: Int), webP: Bool) throws {
            let source = try Self.source(size.width, size.height, webP: webP)
            let format = webP ? MediaFormat.webp : .jpeg
            let (output, failure) = try transform(MemorySource(source), format, profile: Self.profile(64))
            #expect(failure == nil)
            let pixels = try Pixels(try #require(output.last))
            #expect(max(pixels.width, pixels.height) == 64)
            #expect(min(pixels.width, pixels.height) >= 1)
            let (first, last) = (pixels.at(0, 0), pixels.at(pixels.width - 1, pixels.height - 1))
            #expect(first[0] > 150 && first[2] < 90, "\(first)")
            #expect(last[2] > 150 && last[0] < 90, "\(last)")
        }

        @Test("become tiny pictures for the payload", arguments: sizes)
        func inline(size: (width: Int, height: Int)) throws {
            let source = try Self.source(size.width, size.height, webP: false)
            let (output, failure) = try transform(
                MemorySource(source),
                .jpeg,
                profile: Self.profile(4000, inline: .auto),
                rungs: [.remuxed],
            )
            #expect(failure == nil)
            #expect(try #require(output.last).report.inline != nil)
        }
    }
}
