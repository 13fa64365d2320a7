import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Cropping to a profile's shape")
    struct CropTests {
        private static let profile: Profile = {
            var profile = Profile.apns
            profile.image.longEdge = 300
            profile.image.aspectRatio = AspectRatio(width: 1, height: 1)
            return profile
        }()

        /// A gray picture of 900 times 300 pixels with a red disc, whose centre is at `x`.
        private static func disc(at x: Int) -> [UInt8] {
            PNGBuilder.picture(900, 300) { column, row in
                let (across, down) = (column - x, row - 150)
                return across * across + down * down < 3600 ? [230, 40, 30] : [128, 128, 128]
            }
        }

        @Test("what draws attention stays, wherever it is", arguments: [90, 450, 810])
        func attention(x: Int) throws {
            let source = Self.disc(at: x)
            let output = try transform(MemorySource(source), .png, profile: Self.profile, rungs: Rung.full).output
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.width == 300 && pixels.height == 300)
            let red = (0..<300).count { isNear(pixels.at($0, 150), [230, 40, 30], within: 40) }
            #expect(red >= 110, "\(red) of 120 pixels")
        }

        @Test("a picture that is delivered whole comes with what draws attention in it", arguments: [90, 450, 810])
        func reported(x: Int) throws {
            let output = try transform(MemorySource(Self.disc(at: x)), .png, rungs: [.downscaled]).output
            let focus = try #require(output.last?.report.focus)
            // Half a square is 150 pixels wide.
            #expect(abs(focus.x * 900 - Double(min(max(x, 150), 750))) < 60 && focus.y == 0.5)
        }

        @Test("color without any edge draws attention, too", arguments: [150, 750])
        func color(x: Int) throws {
            // Brightness is the same everywhere.
            let source = PNGBuilder.picture(900, 300) { column, _ in
                let strength = max(0, 100 - abs(column - x))
                return [UInt8(128 + strength), UInt8(128 - strength * 2 / 5), 128]
            }
            let output = try transform(MemorySource(source), .png, profile: Self.profile, rungs: Rung.full).output
            let pixels = try Pixels(try #require(output.last))
            let red = (0..<300).count { pixels.at($0, 150)[0] > 190 }
            #expect(red >= 60, "\(red) of 75 columns")
        }

        @Test(
            "a focal point stays, in the middle where there is room, whatever else there is",
            arguments: [(0.0, 0..<300), (0.3, 120..<420), (0.5, 300..<600), (1.0, 600..<900)]
        )
        func focus(x: Double, columns: Range<Int>) throws {
            let source = PNGBuilder.picture(900, 300) { column, _ in [UInt8(column / 4), 10, 20] }
            let point = try #require(FocalPoint(x: x, y: 0.5))
            let output = try transform(MemorySource(source), .png, profile: Self.profile, focus: point).output
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.width == 300 && pixels.height == 300)
            #expect(isNear(pixels.at(2, 150), [columns.lowerBound / 4, 10, 20], within: 4))
            #expect(isNear(pixels.at(297, 150), [(columns.upperBound - 1) / 4, 10, 20], within: 4))
        }

        @Test("a focal point is one of the upright picture", .needsSharedMedia, arguments: [3, 6, 8])
        func turned(orientation: Int) throws {
            var profile = Self.profile
            profile.image.aspectRatio = AspectRatio(width: 1, height: 2)
            let point = try #require(FocalPoint(x: 0.9, y: 0.5))
            func pixels(_ orientation: Int) throws -> Pixels {
                let photo = try SharedMedia.bytes("images/exif-orien__Landscape_\(orientation).jpg")
                let output = try transform(MemorySource(photo), .jpeg, profile: profile, focus: point, rungs: Rung.full)
                return try Pixels(try #require(output.output.last))
            }
            let (upright, turned) = (try pixels(1), try pixels(orientation))
            #expect(upright.width == turned.width && upright.height == turned.height)
            for (x, y) in [(20, 40), (75, 150), (130, 260)] {
                #expect(isNear(turned.at(x, y), upright.at(x, y), within: 24), "\(x), \(y)")
            }
        }

        @Test("a picture in which nothing draws attention is cropped in its middle")
        func nothing() throws {
            // Of each seven columns, the search looks at one, which is gray. Alpha keeps the picture a PNG.
            let source = PNGBuilder.picture(900, 300, .rgba) { column, _ in
                let value = column % 7 == 2 ? UInt8(column / 4) : 100
                return [value, value, value, 254]
            }
            let output = try transform(MemorySource(source), .png, profile: Self.profile, rungs: Rung.full).output
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.at(2, 150)[0] == 303 / 4)
        }

        @Test("a very long picture is cropped in its middle, because scaling all of it would cost too much")
        func panorama() throws {
            let source = PNGBuilder.picture(3000, 300) { column, _ in [UInt8(column / 12), 10, 20] }
            let output = try transform(MemorySource(source), .png, profile: Self.profile, rungs: Rung.full).output
            let pixels = try Pixels(try #require(output.last))
            #expect(isNear(pixels.at(2, 150), [1350 / 12, 10, 20], within: 3))
        }
    }
}
