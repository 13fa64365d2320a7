import DecoderWire
import Values

extension PixelSize {
    /// Returns the displayed size if each pixel is `ratio` times as wide as high.
    func withSquarePixels(_ ratio: Double) -> PixelSize {
        guard ratio > 0.1, ratio < 10, ratio != 1 else { return self }
        return PixelSize(width: Int(clamping: (Double(width) * ratio).rounded()), height: height)
    }

    /// The nearest size with even sides, which 4:2:0 colour needs; not larger unless a side is 1.
    var even: PixelSize { PixelSize(width: max(2, width & ~1), height: max(2, height & ~1)) }
}
