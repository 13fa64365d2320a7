import Base
import CLibav
import DecoderWire
import Glibc

/// The pictures of one clip in one size, whatever sizes they have in the source. A call that is recorded while a phone turns
/// changes its size in the middle.
///
/// The first picture fills the size. Those of another shape keep theirs, between black bars.
final class PictureFitter {
    private let size: PixelSize
    private let first: PixelSize
    private let whole: PictureScaler
    /// The shape of the first picture's pixels. That of others may be another one, as on television.
    private var firstRatio: PixelRatio?
    /// The scaler of the pictures that have another shape than the first.
    private var inner: (size: PixelSize, scaler: PictureScaler)?

    /// Creates a fitter of pictures of 4:2:0 color. `first` is the size of the first one in the source.
    init(to size: PixelSize, like first: PixelSize) {
        self.size = size
        self.first = first
        whole = PictureFitter.scaler(to: size, like: first)
    }

    func fitted(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let ratio = frame.pixelRatio
        let wanted = size(for: frame.size, ratio.width / (firstRatio ?? ratio).width)
        firstRatio = firstRatio ?? ratio
        guard wanted != size else { return try whole.scaled(frame) }
        if inner?.size != wanted { inner = (wanted, Self.scaler(to: wanted, like: first)) }
        guard let inner else { return try whole.scaled(frame) }
        return try inner.scaler.scaled(frame).framed(in: size)
    }

    private static func scaler(to size: PixelSize, like first: PixelSize) -> PictureScaler {
        PictureScaler(to: size, AV_PIX_FMT_YUV420P, threadCount: Libav.threadCount, like: first)
    }

    /// Returns the largest size of the shape of `other` that fits in, as the first picture fills all of it. Its pixels are
    /// `pixelWidth` times as wide as those of the first.
    private func size(for other: PixelSize, _ pixelWidth: Double) -> PixelSize {
        let ratio = Double(other.width * first.height) / Double(max(1, first.width * other.height)) * pixelWidth
        let (width, height) = (Double(size.width) * min(1, ratio), Double(size.height) / max(1, ratio))
        let inside = PixelSize(width: Int(clamping: width.rounded()), height: Int(clamping: height.rounded())).even
        // Sizes that are rounded differ by a line.
        let isWhole = size.width - inside.width <= 2 && size.height - inside.height <= 2
        return isWhole ? size : inside
    }
}

extension Frame {
    /// Returns the picture in the middle of a black one. The sides of both are even.
    fileprivate func framed(in size: PixelSize) throws(DecodeError) -> Frame {
        let framed = try Frame.picture(size, AV_PIX_FMT_YUV420P)
        let (left, top) = ((size.width - self.size.width) / 4, (size.height - self.size.height) / 4)
        let black: [Int32] = [16, 128, 128]
        for plane in black.indices {
            let scale = plane == 0 ? 1 : 2
            let (source, target) = try unsafe (self.plane(plane), framed.plane(plane))
            unsafe memset(target.start, black[plane], target.stride * size.height / scale)
            for row in 0..<self.size.height / scale {
                let place = unsafe (top * 2 / scale + row) * target.stride + left * 2 / scale
                unsafe memcpy(target.start + place, source.start + row * source.stride, self.size.width / scale)
            }
        }
        return framed
    }
}
