import Values

/// A width and a height in pixels, both at least 1.
package struct PixelSize: Sendable, Equatable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
    }

    package var longEdge: Int { max(width, height) }
    package var pixels: Int { SafeSize.product(width, height) ?? .max }
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Returns the largest size of this shape, not larger than this one, whose longer side has at most `limit` pixels.
    package func fitting(longEdge limit: Int) -> PixelSize {
        guard longEdge > limit else { return self }
        return PixelSize(width: scaled(width, by: limit), height: scaled(height, by: limit))
    }

    private func scaled(_ side: Int, by limit: Int) -> Int {
        Int(clamping: (Double(side) * Double(limit) / Double(longEdge)).rounded())
    }
}
