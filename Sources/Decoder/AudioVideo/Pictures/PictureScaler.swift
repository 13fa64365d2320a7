import Base
import CLibav
import DecoderWire
import Images
import Media

/// A scaler and pixel converter for decoded pictures. The size and format may change from picture to picture.
@safe
final class PictureScaler {
    private let size: PixelSize
    private let format: AVPixelFormat
    private let threadCount: Int32
    /// The size of the clip's first picture, which decides what is meant by missing colors.
    private let first: PixelSize?
    private var context: OpaquePointer?
    /// The input that `context` is set up for.
    private var input: Input?
    /// The scaler for pictures whose colors are then mapped to standard ones.
    private var wide: PictureScaler?
    private var mapping: (coding: ColorCoding, mapping: FrameMapping)?

    private struct Input: Equatable {
        var size: PixelSize
        var format: AVPixelFormat
        var matrix: Int32
        var isFullRange: Bool
    }

    /// Creates a scaler. More than one thread pays only for many pictures.
    init(to size: PixelSize, _ format: AVPixelFormat, threadCount: Int32 = 1, like first: PixelSize? = nil) {
        self.size = size
        self.format = format
        self.threadCount = threadCount
        self.first = first
    }

    deinit { unsafe sws_freeContext(context) }

    func scaled(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let colors = ColorDescription(of: frame, like: first)
        guard colors.needsMapping else { return try converted(frame, colors) }
        let wide = wide ?? PictureScaler(to: size, AV_PIX_FMT_RGB48LE, threadCount: threadCount)
        self.wide = wide
        return try converted(mapping(from: colors.coding).mapped(wide.converted(frame, colors)), .standard)
    }

    private func mapping(from coding: ColorCoding) -> FrameMapping {
        if let known = mapping, known.coding == coding { return known.mapping }
        let made = FrameMapping(from: coding)
        mapping = (coding, made)
        return made
    }

    private func converted(_ frame: borrowing Frame, _ colors: ColorDescription) throws(DecodeError) -> Frame {
        let source = try frame.withOneField()
        guard let matrix = colors.scalerMatrix else {
            throw DecodeError(.unsupportedFormat, "matrix \(colors.matrix.rawValue)", cause: .colors)
        }
        try prepare(
            for: Input(
                size: source.size,
                format: source.pixelFormat,
                matrix: matrix,
                isFullRange: colors.isFullRange,
            )
        )
        let scaled = try Frame.picture(size, format)
        try unsafe check("sws_scale_frame", sws_scale_frame(context, scaled.pointer, source.pointer))
        return scaled
    }

    /// Sets up the context. The matrix stays that of the picture; only the range of values may change.
    private func prepare(for input: Input) throws(DecodeError) {
        guard input != self.input else { return }
        unsafe sws_freeContext(context)
        self.input = nil
        unsafe context = sws_alloc_context()
        guard let new = unsafe context else { throw DecodeError(.resourceLimit, "sws_alloc_context") }
        let options = [
            ("srcw", input.size.width), ("srch", input.size.height), ("src_format", Int(input.format.rawValue)),
            ("dstw", size.width), ("dsth", size.height), ("dst_format", Int(format.rawValue)),
            ("sws_flags", Int(SWS_BICUBIC)), ("threads", Int(threadCount)),
        ]
        for (name, value) in options {
            try unsafe check("av_opt_set_int", av_opt_set_int(UnsafeMutableRawPointer(new), name, Int64(value), 0))
        }
        guard unsafe sws_init_context(new, nil, nil) >= 0 else {
            throw DecodeError(.unsupportedFormat, "sws_init_context")
        }
        let matrix = unsafe sws_getCoefficients(input.matrix)
        let isFullRange: Int32 = input.isFullRange ? 1 : 0
        _ = unsafe sws_setColorspaceDetails(new, matrix, isFullRange, matrix, 0, 0, 1 << 16, 1 << 16)
        self.input = input
    }
}

extension Frame {
    /// Returns the first field of an interlaced picture: half the lines, but all from the same instant.
    fileprivate func withOneField() throws(DecodeError) -> Frame {
        let field = try shared()
        guard isInterlaced, size.height >= 2 else { return field }
        unsafe field.pointer.pointee.height /= 2
        unsafe field.pointer.pointee.linesize.0 *= 2
        unsafe field.pointer.pointee.linesize.1 *= 2
        unsafe field.pointer.pointee.linesize.2 *= 2
        unsafe field.pointer.pointee.linesize.3 *= 2
        return field
    }
}

// MARK: - Sizes

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

    /// The nearest size with even sides, which 4:2:0 color needs; not larger unless a side is 1.
    var even: PixelSize { PixelSize(width: max(2, width & ~1), height: max(2, height & ~1)) }
}

/// The shape of stored pixels: how many times as wide as high they are.
struct PixelRatio: Equatable {
    static let square = PixelRatio(rational: AVRational(num: 1, den: 1))

    /// The ratio as libav has it. Both numbers are positive.
    let rational: AVRational

    /// Creates the ratio. An unknown ratio, or one that no camera or disc uses, counts as square.
    init(_ ratio: AVRational) {
        let (width, height) = (Int64(ratio.num), Int64(ratio.den))
        let isPlausible = width > 0 && height > 0 && width < 10 * height && height < 10 * width
        self = isPlausible ? PixelRatio(rational: ratio) : .square
    }

    private init(rational: AVRational) { self.rational = rational }

    var isSquare: Bool { rational.num == rational.den }
    /// The width of a pixel of the height 1.
    var width: Double { Double(rational.num) / Double(rational.den) }

    static func == (left: PixelRatio, right: PixelRatio) -> Bool { av_cmp_q(left.rational, right.rational) == 0 }
}
