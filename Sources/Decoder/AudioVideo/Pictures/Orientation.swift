import CLibav
import DecoderWire

/// The turn and mirroring of the stored picture, in EXIF's numbers: 1 is upright, 2 to 8 are mirrored or turned.
struct Orientation: Equatable {
    let exif: Int

    static let upright = Orientation(exif: 1)

    /// Reads the matrix of a movie's track (ISO/IEC 14496-12, 6.2.2). Anything but quarter turns and mirroring counts
    /// as upright.
    init(displayMatrix matrix: [Int32]) {
        guard matrix.count == 9 else {
            self = .upright
            return
        }
        let (a, b, c, d) = (matrix[0].signum(), matrix[1].signum(), matrix[3].signum(), matrix[4].signum())
        switch (a, b, c, d) {
        case (-1, 0, 0, 1): exif = 2
        case (-1, 0, 0, -1): exif = 3
        case (1, 0, 0, -1): exif = 4
        case (0, 1, 1, 0): exif = 5
        case (0, 1, -1, 0): exif = 6
        case (0, -1, -1, 0): exif = 7
        case (0, -1, 1, 0): exif = 8
        default: exif = 1
        }
    }

    private init(exif: Int) { self.exif = exif }

    /// The matrix of a track that is turned but not mirrored, without the offsets that players ignore.
    var displayMatrix: [Int32] {
        let one: Int32 = 1 << 16
        let (a, b, c, d): (Int32, Int32, Int32, Int32) =
            switch exif {
            case 3: (-one, 0, 0, -one)
            case 6: (0, one, -one, 0)
            case 8: (0, -one, one, 0)
            default: (one, 0, 0, one)
            }
        return [a, b, 0, c, d, 0, 0, 0, 1 << 30]
    }

    var isTransposed: Bool { exif > 4 }
    /// A Boolean value that indicates whether the picture is mirrored. Players agree on turned movies, but not on
    /// mirrored ones.
    var isMirrored: Bool { [2, 4, 5, 7].contains(exif) }
}

// MARK: - Turning frames

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
