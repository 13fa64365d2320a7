import DecoderWire
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Clipping rectangles")
    struct ClippingTests {
        @Test("a part of the upright picture is located in the stored one, for every orientation", arguments: 1...8)
        func orientations(orientation: Int) {
            let upright = PixelSize(width: 5, height: 3)
            let stored = orientation > 4 ? upright.transposed : upright
            for x in 0..<upright.width {
                for y in 0..<upright.height {
                    let area = PixelArea(x: x, y: y, width: 1, height: 1).stored(in: upright, orientation: orientation)
                    #expect(Self.upright(area.x, area.y, of: stored, orientation) == [x, y])
                }
            }
            let part = PixelArea(x: 1, y: 0, width: 3, height: 2).stored(in: upright, orientation: orientation)
            #expect(part.size == (orientation > 4 ? PixelSize(width: 2, height: 3) : PixelSize(width: 3, height: 2)))
        }

        /// Returns the upright position of a stored pixel: EXIF 2.32, tag 274, defines its first row and column.
        private static func upright(_ x: Int, _ y: Int, of stored: PixelSize, _ orientation: Int) -> [Int] {
            let (left, top) = (stored.width - 1 - x, stored.height - 1 - y)
            return switch orientation {
            case 2: [left, y]
            case 3: [left, top]
            case 4: [x, top]
            case 5: [y, x]
            case 6: [top, x]
            case 7: [top, left]
            case 8: [y, left]
            default: [x, y]
            }
        }

        @Test("a rectangle is rounded to whole pixels, at least one")
        func pixels() throws {
            let size = PixelSize(width: 10, height: 4)
            let quarter = try #require(ClippingRectangle(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
            #expect(PixelArea(quarter, of: size) == PixelArea(x: 5, y: 2, width: 5, height: 2))
            let speck = try #require(ClippingRectangle(x: 1 - 1e-9, y: 0, width: 1e-9, height: 1e-9))
            #expect(PixelArea(speck, of: size) == PixelArea(x: 9, y: 0, width: 1, height: 1))
        }

        @Test(
            "photos of every orientation are clipped as they are displayed",
            .needsSharedMedia,
            arguments: [1, 3, 5, 6, 8]
        )
        func photos(orientation: Int) throws {
            let photo = try SharedMedia.bytes("images/exif-orien__Landscape_\(orientation).jpg")
            var profile = Profile.apns
            profile.image = ImageRules(longEdge: 1800, byteBudget: 10_000_000, byteLimit: 10_000_000)
            func pixels(_ rectangle: ClippingRectangle?) throws -> Pixels {
                let (output, failure) = try transform(
                    MemorySource(photo),
                    .jpeg,
                    profile: profile,
                    clipping: rectangle,
                    rungs: [.downscaled],
                )
                #expect(failure == nil && output.source?.width == 1800)
                return try Pixels(try #require(output.last))
            }
            let whole = try pixels(nil)
            let part = try pixels(ClippingRectangle(x: 0.5, y: 0.25, width: 0.25, height: 0.5))
            #expect(part.width == 450 && part.height == 600)
            var expected = part
            expected.values = (300..<900).flatMap { row in
                let start = (row * whole.width + 900) * whole.bands
                return whole.values[start..<start + 450 * whole.bands]
            }
            // Both were encoded, in blocks that are not aligned.
            #expect(part.likeness(to: expected) > 33)
        }

        @Test("exactly the pixels of the rectangle are kept", arguments: [(0, 0), (1, 0), (0, 1), (1, 1)])
        func quadrants(column: Int, row: Int) throws {
            let colors: [[[UInt8]]] = [[[220, 0, 0], [0, 220, 0]], [[0, 0, 220], [220, 220, 220]]]
            let picture = PNGBuilder.picture(120, 80) { colors[$1 < 40 ? 0 : 1][$0 < 60 ? 0 : 1] }
            let quadrant = try #require(
                ClippingRectangle(x: Double(column) / 2, y: Double(row) / 2, width: 0.5, height: 0.5)
            )
            let (output, _) = try transform(MemorySource(picture), .png, clipping: quadrant)
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.width == 60 && pixels.height == 40)
            let color = colors[row][column].map(Int.init)
            for (x, y) in [(0, 0), (59, 0), (0, 39), (59, 39)] { #expect(isNear(pixels.at(x, y), color)) }
        }

        @Test("the thumbnail that a camera stores is clipped too, without its black bars")
        func embeddedThumbnail() throws {
            let picture = PNGBuilder.picture(1600, 800) { x, _ in x < 800 ? [220, 0, 0] : [0, 0, 220] }
            // The thumbnail is 4:3, so the picture's shape leaves bars above and below.
            let small = PNGBuilder.picture(160, 120) { x, y in
                (20..<100).contains(y) ? (x < 80 ? [220, 0, 0] : [0, 0, 220]) : [0, 0, 0]
            }
            func jpeg(_ png: [UInt8]) throws -> [UInt8] {
                var profile = Profile.apns
                profile.image.longEdge = 2000
                return try #require(
                    transform(MemorySource(png), .png, profile: profile, rungs: [.downscaled]).output.last
                )
                .bytes
            }
            let source = JPEGBuilder.with(thumbnail: try jpeg(small), in: try jpeg(picture))
            let right = try #require(ClippingRectangle(x: 0.5, y: 0, width: 0.5, height: 1))
            let (output, _) = try transform(MemorySource(source), .jpeg, clipping: right, rungs: [.embeddedThumbnail])
            let pixels = try Pixels(try #require(output.last))
            #expect(pixels.width == 80 && pixels.height == 80)
            for (x, y) in [(4, 4), (75, 4), (40, 75)] { #expect(isNear(pixels.at(x, y), [0, 0, 220], within: 30)) }
        }

        @Test("the profile's shape is cut out of the clipped part", .needsSharedMedia)
        func shape() throws {
            let photo = try SharedMedia.bytes("images/exif-orien__Landscape_1.jpg")
            let half = try #require(ClippingRectangle(x: 0, y: 0, width: 0.5, height: 1))
            let (output, _) = try transform(MemorySource(photo), .jpeg, profile: .webpush, clipping: half)
            #expect(output.last.map { [$0.report.width, $0.report.height] } == [900, 450])
        }

        @Test("an animation is clipped in every frame", .needsSharedMedia)
        func animation() throws {
            let animation = try SharedMedia.bytes(Self.animation)
            let (whole, _) = try transform(MemorySource(animation), .gif)
            let half = try #require(ClippingRectangle(x: 0.25, y: 0, width: 0.5, height: 1))
            let (output, failure) = try transform(MemorySource(animation), .gif, clipping: half)
            #expect(failure == nil && output.last?.report.rung == .animation)
            #expect(output.last?.report.frames == whole.last?.report.frames)
            #expect(output.last?.report.height == whole.last?.report.height)
            #expect(output.last?.report.width == whole.source?.width.map { $0 / 2 })
        }

        private static let animation = "images/sharp__rotating-squares.gif"
    }
}
