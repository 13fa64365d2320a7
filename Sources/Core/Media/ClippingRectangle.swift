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
}
