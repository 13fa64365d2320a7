import Media
import Values

/// A width and a height in pixels.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    var longEdge: Int { max(width, height) }
    var pixels: Int { SafeSize.product(width, height) ?? .max }
    var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Returns the displayed size if each pixel is `ratio` times as wide as high.
    func withSquarePixels(_ ratio: Double) -> PixelSize {
        guard ratio > 0.1, ratio < 10, ratio != 1 else { return self }
        return PixelSize(width: max(1, Int(clamping: (Double(width) * ratio).rounded())), height: height)
    }

    /// Returns the size scaled down so that the longer side has at most `limit` pixels.
    func fitting(longEdge limit: Int) -> PixelSize {
        guard longEdge > limit else { return self }
        let scale = Double(limit) / Double(longEdge)
        return PixelSize(
            width: max(1, Int(clamping: (Double(width) * scale).rounded())),
            height: max(1, Int(clamping: (Double(height) * scale).rounded())),
        )
    }

    /// The nearest size with even sides, which 4:2:0 colour needs; not larger unless a side is 1.
    var even: PixelSize { PixelSize(width: max(2, width & ~1), height: max(2, height & ~1)) }
}
