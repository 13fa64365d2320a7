/// The part of a picture that its thumbnail shows. All numbers are fractions of the whole, from 0 to 1.
package struct ClippingRectangle: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    /// Creates a rectangle, or returns `nil` if it is empty or leaves the picture.
    package init?(x: Double, y: Double, width: Double, height: Double) {
        // Decimals such as 0.9 + 0.1 have no exact sum in binary.
        let edge = 1.000_001
        guard x >= 0, y >= 0, width > 0, height > 0, x + width <= edge, y + height <= edge else { return nil }
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the largest square of a picture that is as near as possible to `focus`, or returns `nil` if the picture is
    /// nearly a square itself.
    package init?(squareAround focus: FocalPoint, width: Int, height: Int) {
        let short = min(width, height)
        guard short > 0, Self.ratios.contains(Double(max(width, height)) / Double(short)) else { return nil }
        let (across, down) = (Double(short) / Double(width), Double(short) / Double(height))
        self.init(
            x: min(max(0, focus.x - across / 2), 1 - across),
            y: min(max(0, focus.y - down / 2), 1 - down),
            width: across,
            height: down,
        )
    }

    /// The ratios of sides for which a square leaves out something, and shows something.
    private static let ratios = 1.1...100.0
}
