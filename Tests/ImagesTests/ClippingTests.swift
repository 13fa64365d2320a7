import Media
import Support
import Testing

@testable import Images

@Suite("Clipping rectangles")
struct ClippingTests {
    @Test("a part of the upright picture is found in the stored one, whatever its orientation", arguments: 1...8)
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

    /// Where the stored pixel is seen: EXIF 2.32, tag 274, says what its first row and column are upright.
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

    @Test("a rectangle comes to whole pixels, and to one at least")
    func pixels() throws {
        let size = PixelSize(width: 10, height: 4)
        let quarter = try #require(ClippingRectangle(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
        #expect(PixelArea(quarter, of: size) == PixelArea(x: 5, y: 2, width: 5, height: 2))
        let speck = try #require(ClippingRectangle(x: 1 - 1e-9, y: 0, width: 1e-9, height: 1e-9))
        #expect(PixelArea(speck, of: size) == PixelArea(x: 9, y: 0, width: 1, height: 1))
    }

    @Test(
        "photos of every orientation are clipped as they are seen",
        .needsSharedMedia,
        arguments: [1, 3, 5, 6, 8]
    )
    func photos(orientation: Int) throws {
        let photo = try SharedMedia.bytes("images/exif-orien__Landscape_\(orientation).jpg")
        let half = try #require(ClippingRectangle(x: 0.5, y: 0.25, width: 0.25, height: 0.5))
        let (output, failure) = try transform(MemorySource(photo), .jpeg, clipping: half)
        #expect(failure == nil && output.last?.report.rung == .downscaled)
        #expect(output.last.map { [$0.report.width, $0.report.height] } == [450, 600])
        #expect(output.source?.width == 1800)
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
