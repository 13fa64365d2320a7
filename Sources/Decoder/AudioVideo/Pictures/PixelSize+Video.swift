import CLibav
import DecoderWire
import Values

extension PixelSize {
    /// Returns the displayed size if pixels have the shape `ratio`.
    ///
    /// It is rounded like the size in a track's header, which has 16 fractional bits (ISO/IEC 14496-12, 8.3.2), so that
    /// all who read a copied clip come to the same size.
    func withSquarePixels(_ ratio: PixelRatio) -> PixelSize {
        guard !ratio.isSquare else { return self }
        let fixed = av_rescale(Int64(width) << 16, Int64(ratio.rational.num), Int64(ratio.rational.den))
        return PixelSize(width: max(1, Int(clamping: (fixed + 0x8000) >> 16)), height: height)
    }

    /// The nearest size with even sides, which 4:2:0 colour needs; not larger unless a side is 1.
    var even: PixelSize { PixelSize(width: max(2, width & ~1), height: max(2, height & ~1)) }
}
