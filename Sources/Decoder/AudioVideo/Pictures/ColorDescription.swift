import CLibav
import DecoderWire
import Images

/// The color space and value range of a decoded picture.
struct ColorDescription: Equatable {
    var matrix: AVColorSpace
    var primaries: AVColorPrimaries
    var transfer: AVColorTransferCharacteristic
    var isFullRange: Bool

    /// Reads the description of a frame. Missing values are filled in as broadcasters do: BT.709 in high definition,
    /// BT.601 below.
    ///
    /// A picture must carry its description once it is scaled down, or players guess from the new size.
    /// With `first`, missing values are filled in as for a picture of that size.
    init(of frame: borrowing Frame, like first: PixelSize? = nil) {
        let raw = unsafe frame.pointer.pointee
        let size = first ?? frame.size
        unsafe self.init(raw.colorspace, raw.color_primaries, raw.color_trc, raw.color_range, raw.format, size)
    }

    init(of stream: MediaStream, like first: PixelSize) {
        let raw = unsafe stream.parameters.pointee
        unsafe self.init(
            raw.color_space,
            raw.color_primaries,
            raw.color_trc,
            raw.color_range,
            raw.format,
            first
        )
    }

    private init(
        _ matrix: AVColorSpace,
        _ primaries: AVColorPrimaries,
        _ transfer: AVColorTransferCharacteristic,
        _ range: AVColorRange,
        _ format: Int32,
        _ size: PixelSize,
    ) {
        let isHighDefinition = size.width >= 1280 || size.height > 576
        let unknown = [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RESERVED, AVCOL_SPC_RGB]
        let usual = isHighDefinition ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        self.matrix = unknown.contains(matrix) ? usual : matrix
        let hasPrimaries = primaries != AVCOL_PRI_UNSPECIFIED && primaries != AVCOL_PRI_RESERVED
        self.primaries = hasPrimaries ? primaries : isHighDefinition ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M
        let hasTransfer = transfer != AVCOL_TRC_UNSPECIFIED && transfer != AVCOL_TRC_RESERVED
        self.transfer = hasTransfer ? transfer : AVCOL_TRC_BT709
        let fullRange = [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P]
        isFullRange = range == AVCOL_RANGE_JPEG || fullRange.contains(AVPixelFormat(format))
    }

    private init(standardOf matrix: AVColorSpace) {
        self.matrix = matrix
        primaries = AVCOL_PRI_BT709
        transfer = AVCOL_TRC_BT709
        isFullRange = false
    }

    /// The description of high definition with standard dynamic range.
    static let standard = ColorDescription(standardOf: AVCOL_SPC_BT709)

    /// The description after `PictureScaler` has mapped the colors to standard ones.
    var scaled: ColorDescription { needsMapping ? .standard : self }

    /// A Boolean value that indicates whether ordinary screens would show the values with wrong colors: those of high dynamic
    /// range, and those of primaries that span more colors. Not every player obeys such a description.
    ///
    /// The primaries of standard definition differ too little.
    var needsMapping: Bool {
        let wide = [AVCOL_PRI_BT2020, AVCOL_PRI_SMPTE431, AVCOL_PRI_SMPTE432]
        return isBright || wide.contains(primaries)
    }

    /// The meaning of red, green and blue.
    var coding: ColorCoding {
        // The numbers of libav are those of ITU-T H.273.
        var coding = ColorCoding(primaries: Int(primaries.rawValue), transfer: Int(transfer.rawValue))
        // High dynamic range has these primaries where nothing says so.
        if isBright, primaries.rawValue < AVCOL_PRI_BT2020.rawValue { coding.primaries = .bt2020 }
        return coding
    }

    private var isBright: Bool { TransferFunction(number: Int(transfer.rawValue))?.isHighDynamicRange ?? false }

    /// The number of the matrix in libswscale; `nil` if that has no such matrix, and would guess.
    var scalerMatrix: Int32? {
        switch matrix {
        case AVCOL_SPC_BT709: SWS_CS_ITU709
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: SWS_CS_ITU601
        case AVCOL_SPC_FCC: SWS_CS_FCC
        case AVCOL_SPC_SMPTE240M: SWS_CS_SMPTE240M
        case AVCOL_SPC_BT2020_NCL: SWS_CS_BT2020
        case AVCOL_SPC_CHROMA_DERIVED_NCL:
            switch primaries {
            case AVCOL_PRI_BT709: SWS_CS_ITU709
            case AVCOL_PRI_BT2020: SWS_CS_BT2020
            default: SWS_CS_ITU601
            }
        default: nil
        }
    }
}

// MARK: - Mapping

/// The mapping of a video's pictures to the colors that every screen shows: of high dynamic range, as phones film them,
/// and of a wide gamut.
struct FrameMapping {
    private let mapping: ColorMapping

    init(from coding: ColorCoding) { mapping = ColorMapping(from: coding) }

    /// Returns 8-bit sRGB for 16-bit RGB.
    func mapped(_ frame: borrowing Frame) throws(DecodeError) -> Frame {
        let size = frame.size
        let mapped = try Frame.picture(size, AV_PIX_FMT_RGB24)
        guard let source = unsafe frame.pointer.pointee.data.0, let target = unsafe mapped.pointer.pointee.data.0 else {
            return mapped
        }
        for row in 0..<size.height {
            let from = unsafe UnsafeRawPointer(source + row * Int(frame.pointer.pointee.linesize.0))
            let to = unsafe target + row * Int(mapped.pointer.pointee.linesize.0)
            unsafe mapping.map(from.assumingMemoryBound(to: UInt16.self), to, count: size.width)
        }
        return mapped
    }
}
