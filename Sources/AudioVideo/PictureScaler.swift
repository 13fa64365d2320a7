import CLibav
import DecoderWire
import Media

/// Scales decoded pictures and converts their pixels, whatever size and kind the next one has.
@safe
final class PictureScaler {
    private let size: PixelSize
    private let format: AVPixelFormat
    private var context: OpaquePointer?
    /// Where pictures of high dynamic range are on their way to the ordinary kind.
    private var bright: PictureScaler?
    private var toneMapping: (transfer: AVColorTransferCharacteristic, mapping: ToneMapping)?

    init(to size: PixelSize, _ format: AVPixelFormat) {
        self.size = size
        self.format = format
    }

    deinit { unsafe sws_freeContext(context) }

    func scaled(_ frame: borrowing Frame) throws(DecodeFailure) -> Frame {
        let colours = ColourDescription(of: frame)
        guard let mapping = toneMapping(for: colours.transfer) else { return try converted(frame, colours) }
        let bright = bright ?? PictureScaler(to: size, AV_PIX_FMT_RGB48LE)
        self.bright = bright
        return try converted(mapping.mapped(bright.converted(frame, colours)), .standard)
    }

    private func toneMapping(for transfer: AVColorTransferCharacteristic) -> ToneMapping? {
        if let known = toneMapping, known.transfer == transfer { return known.mapping }
        toneMapping = ToneMapping(transfer).map { (transfer, $0) }
        return toneMapping?.mapping
    }

    /// The matrix stays what it is in pictures; only the range of values may change.
    private func converted(_ frame: borrowing Frame, _ colours: ColourDescription) throws(DecodeFailure) -> Frame {
        let source = try frame.withOneField()
        unsafe context = sws_getCachedContext(
            context,
            Int32(source.size.width),
            Int32(source.size.height),
            source.pixelFormat,
            Int32(size.width),
            Int32(size.height),
            format,
            SWS_BICUBIC,
            nil,
            nil,
            nil,
        )
        guard let context = unsafe context else { throw DecodeFailure(.unsupportedFormat, "sws_getContext") }
        let matrix = unsafe sws_getCoefficients(colours.scalerMatrix)
        let isFullRange: Int32 = colours.isFullRange ? 1 : 0
        _ = unsafe sws_setColorspaceDetails(context, matrix, isFullRange, matrix, 0, 0, 1 << 16, 1 << 16)
        let scaled = try Frame.picture(size, format)
        try unsafe check("sws_scale_frame", sws_scale_frame(context, scaled.pointer, source.pointer))
        return scaled
    }
}

extension Frame {
    /// Of an interlaced picture the first field only: half the lines, but all of one instant.
    fileprivate func withOneField() throws(DecodeFailure) -> Frame {
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
