import Media
import Testing

@Suite("The square of a picture for its thumbnail")
struct ClippingRectangleTests {
    @Test(
        "is around the focal point, as far as the picture reaches",
        arguments: [
            (0.5, 0.5, 400, 200, 0.25, 0.0, 0.5, 1.0), (0.0, 0.3, 400, 200, 0, 0, 0.5, 1),
            (0.9, 0.3, 400, 200, 0.5, 0, 0.5, 1), (0.5, 0.4, 300, 1200, 0, 0.275, 1, 0.25),
            (1.0, 1.0, 300, 1200, 0, 0.75, 1, 0.25),
        ]
    )
    func square(
        focusX: Double,
        focusY: Double,
        width: Int,
        height: Int,
        x: Double,
        y: Double,
        across: Double,
        down: Double,
    ) throws {
        let focus = try #require(FocalPoint(x: focusX, y: focusY))
        let square = try #require(ClippingRectangle(squareAround: focus, width: width, height: height))
        for (seen, wanted) in [(square.x, x), (square.y, y), (square.width, across), (square.height, down)] {
            #expect(abs(seen - wanted) < 0.000_001)
        }
    }

    @Test(
        "is not needed where the picture is nearly a square, or a line",
        arguments: [(200, 200), (200, 210), (1, 1), (0, 0), (1038, 1)]
    )
    func square(width: Int, height: Int) throws {
        let focus = try #require(FocalPoint(x: 0.1, y: 0.1))
        #expect(ClippingRectangle(squareAround: focus, width: width, height: height) == nil)
    }
}
