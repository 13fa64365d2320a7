import CLibav
import DecoderWire
import Media

extension Frame {
    /// Returns the frame as a still picture with square pixels in sRGB, about as large as `rules` ask for.
    func still(of stream: MediaStream, rules: ImageRules) throws(DecodeError) -> DecodedStill {
        // Scales to twice the wanted size. The better filter of the image encoder does the rest.
        let target = size.withSquarePixels(stream.pixelRatio).fitting(longEdge: rules.longEdge * 2)
        let scaled = try PictureScaler(to: target, AV_PIX_FMT_RGB24).scaled(self)
        return DecodedStill(
            pixels: scaled.rows(ofBytes: target.width * 3),
            size: target,
            orientation: stream.orientation.exif,
        )
    }

    /// Returns the measures of the small grey version that `scaler` makes of the frame.
    func detail(with scaler: PictureScaler) throws(DecodeError) -> FrameDetail {
        let scaled = try scaler.scaled(self)
        return FrameDetail(of: scaled.rows(ofBytes: scaled.size.width), width: scaled.size.width)
    }

    /// Returns the first plane without the gaps between its rows.
    private func rows(ofBytes count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * size.height)
        guard let start = unsafe pointer.pointee.data.0 else { return bytes }
        let stride = unsafe Int(pointer.pointee.linesize.0)
        for row in 0..<size.height {
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start + row * stride, count: count))
        }
        return bytes
    }
}

extension PictureScaler {
    /// Returns a scaler to the grey version that `detail(with:)` measures, in the shape of `frame`.
    static func forDetail(of frame: borrowing Frame) -> PictureScaler {
        PictureScaler(to: frame.size.fitting(longEdge: FrameDetail.longEdge), AV_PIX_FMT_GRAY8)
    }
}
