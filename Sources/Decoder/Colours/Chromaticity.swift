/// A colour without its brightness: the x and y of CIE 1931.
package struct Chromaticity: Sendable, Equatable {
    package var x: Float
    package var y: Float

    package init(_ x: Float, _ y: Float) {
        self.x = x
        self.y = y
    }

    /// The white of daylight at 6,500 K, which is that of sRGB.
    static let daylight = Chromaticity(0.3127, 0.3290)

    /// The CIE XYZ of this colour with a brightness of 1.
    var tristimulus: Vector { Vector(x / y, 1, (1 - x - y) / y) }
}
