/// The point of an upright picture that must stay visible when the picture is cropped. Both numbers are fractions of the
/// whole, from 0 to 1.
package struct FocalPoint: Sendable, Hashable {
    package var x: Double
    package var y: Double

    /// Creates a point, or returns `nil` if it lies outside the picture.
    package init?(x: Double, y: Double) {
        guard (0...1).contains(x), (0...1).contains(y) else { return nil }
        self.x = x
        self.y = y
    }
}
