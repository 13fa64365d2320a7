import CLibav
import Colours
import DecoderWire
import Media

/// A scaler and pixel converter for decoded pictures. The size and format may change from picture to picture.
@safe
final class PictureScaler {
    private let size: PixelSize
    private let format: AVPixelFormat
    private let threadCount: Int32
    private var context: OpaquePointer?
    /// The input that `context` is set up for.
    private var input: Input?
    /// The scaler for pictures whose colours are then mapped to standard ones.
    private var wide: PictureScaler?
    private var mapping: (coding: ColourCoding, mapping: FrameMapping)?

    private struct Input: Equatable {
        var size: PixelSize
        var format: AVPixelFormat
        var matrix: Int32
        var isFullRange: Bool
    }

    /// Creates a scaler. More than one thread pays only for many pictures.
    init(to size: PixelSize, _ format: AVPixelFormat, threadCount: Int32 = 1) {
        self.size = size
        self.format = format
        self.threadCount = threadCount
    }

    deinit { unsafe sws_freeContext(context) }

    func scaled(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let colours = ColourDescription(of: frame)
        guard colours.needsMapping else { return try converted(frame, colours) }
        let wide = wide ?? PictureScaler(to: size, AV_PIX_FMT_RGB48LE, threadCount: threadCount)
        self.wide = wide
        return try converted(mapping(from: colours.coding).mapped(wide.converted(frame, colours)), .standard)
    }

    private func mapping(from coding: ColourCoding) -> FrameMapping {
        if let known = mapping, known.coding == coding { return known.mapping }
        let made = FrameMapping(from: coding)
        mapping = (coding, made)
        return made
    }

    private func converted(_ frame: borrowing Frame, _ colours: ColourDescription) throws(DecodeError) -> Frame {
        let source = try frame.withOneField()
        try prepare(
            for: Input(
                size: source.size,
                format: source.pixelFormat,
                matrix: colours.scalerMatrix,
                isFullRange: colours.isFullRange,
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
