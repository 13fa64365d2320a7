import CLibav
import DecoderWire

extension Frame {
    /// Returns the frame turned and mirrored by `orientation`. `self` has three planes of 8-bit samples.
    consuming func upright(from orientation: Orientation) throws(DecodeError) -> Frame {
        guard orientation != .upright else { return self }
        let turned = try Frame.picture(orientation.isTransposed ? size.transposed : size, pixelFormat)
        let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        let from = unsafe pointer.pointee
        let to = unsafe turned.pointer.pointee
        unsafe Plane(from.data.0, from.linesize.0, size)?.copy(to: to.data.0, to.linesize.0, orientation)
        unsafe Plane(from.data.1, from.linesize.1, chroma)?.copy(to: to.data.1, to.linesize.1, orientation)
        unsafe Plane(from.data.2, from.linesize.2, chroma)?.copy(to: to.data.2, to.linesize.2, orientation)
        return turned
    }
}

/// One plane of a picture, with one byte per sample.
@safe
private struct Plane {
    let start: UnsafeMutablePointer<UInt8>
    let stride: Int
    let size: PixelSize

    init?(_ start: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ size: PixelSize) {
        guard let start = unsafe start else { return nil }
        unsafe self.start = start
        self.stride = Int(stride)
        self.size = size
    }

    /// Copies the samples in the order of the target, from their positions in this plane.
    func copy(to target: UnsafeMutablePointer<UInt8>?, _ targetStride: Int32, _ orientation: Orientation) {
        guard let target = unsafe target else { return }
        let (right, down, first) = steps(orientation)
        let seen = orientation.isTransposed ? size.transposed : size
        for row in 0..<seen.height {
            var from = first + row * down
            let line = unsafe target + row * Int(targetStride)
            for column in 0..<seen.width {
                unsafe line[column] = start[from]
                from += right
            }
        }
    }

    /// Returns the distances in this plane between samples that are neighbours in the target, to the right and below,
    /// and the position of the first.
    private func steps(_ orientation: Orientation) -> (right: Int, down: Int, first: Int) {
        let lastColumn = size.width - 1
        let lastRow = (size.height - 1) * stride
        return switch orientation.exif {
        case 2: (-1, stride, lastColumn)
        case 3: (-1, -stride, lastRow + lastColumn)
        case 4: (1, -stride, lastRow)
        case 5: (stride, 1, 0)
        case 6: (-stride, 1, lastRow)
        case 7: (-stride, -1, lastRow + lastColumn)
        case 8: (stride, -1, lastColumn)
        default: (1, stride, 0)
        }
    }
}
