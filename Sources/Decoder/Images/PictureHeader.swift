import Base
import CVips
import DecoderWire
import Media

/// The properties of a source that are known before any pixel is decoded.
struct PictureHeader {
    let format: MediaFormat
    /// The size of one frame, before the orientation is applied.
    let storedSize: PixelSize
    /// The orientation that EXIF or XMP data gives, from 1 to 8.
    private(set) var orientation: Int
    /// A Boolean value that indicates whether the orientation may still come, behind the pixels.
    private(set) var mayTurn: Bool
    let frames: Int
    /// The time for which each frame is shown, in milliseconds.
    private let delays: [Int]
    /// The number of times the animation plays; 0 for endlessly.
    let loop: Int
    let hasAlpha: Bool
    /// The number of bands that are colors, if the others mean nothing.
    let keptBands: Int?
    /// A Boolean value that indicates whether the picture is made of tiles of 8 bits without alpha, and takes little memory.
    let isTiled: Bool
    /// A Boolean value that indicates whether the colors are multiplied by alpha.
    let isPremultiplied: Bool
    let colors: SourceColors
    /// A Boolean value that indicates whether this is a progressive JPEG or an interlaced PNG, which are decoded as a
    /// whole in memory.
    let isInterlaced: Bool
    /// A Boolean value that indicates whether the picture is 8-bit gray or RGB, with or without alpha, and sRGB without
    /// its profile, so that a rewritten container shows the same colors.
    let isPlain: Bool
    /// The JPEG thumbnail in the EXIF data, if there is one.
    let thumbnail: [UInt8]?

    /// The time, in milliseconds, for which browsers and phones show a frame that gives no time, or up to `ignoredDelay`.
    private static let defaultDelay = 100
    private static let ignoredDelay = 10

    /// Creates the header from libvips' metadata and what it doesn't tell.
    ///
    /// - Parameters:
    ///   - picture: The picture as libvips loads it.
    ///   - format: The format of the source.
    ///   - colors: The meaning of the color values.
    ///   - turn: The turn that the container demands and libvips has not applied.
    ///   - outer: The orientation to use where the picture itself has none.
    ///   - mayTurn: Whether the orientation may still come, behind the pixels.
    ///   - keptBands: The number of bands that are colors, if the others mean nothing.
    ///   - isTiled: Whether the picture is made of tiles.
    ///   - isPremultiplied: Whether the container says that the colors are multiplied by alpha.
    init(
        of picture: borrowing Picture,
        format: MediaFormat,
        colors: SourceColors = .standard,
        turn: PictureTurn? = nil,
        orientation outer: Int? = nil,
        mayTurn: Bool = false,
        keptBands: Int? = nil,
        isTiled: Bool = false,
        isPremultiplied: Bool = false,
    ) {
        self.format = format
        let pages = max(1, picture.integer("n-pages") ?? 1)
        storedSize = PixelSize(width: picture.width, height: picture.integer("page-height") ?? picture.height)
        let own = turn?.orientation ?? picture.integer("orientation")
        let orientation = own ?? outer ?? picture.orientationInXMP(format)
        self.orientation = (1...8).contains(orientation) ? orientation : 1
        self.mayTurn = mayTurn && own == nil
        frames = format == .gif || format == .webp ? pages : 1
        delays = picture.integers("delay").map { $0 > Self.ignoredDelay ? $0 : Self.defaultDelay }
        loop = picture.integer("loop") ?? 0
        hasAlpha = picture.hasAlpha && keptBands == nil
        self.keptBands = keptBands
        self.isTiled = isTiled && picture.has8Bits && !picture.hasAlpha
        self.isPremultiplied = isPremultiplied && hasAlpha
        self.colors = colors
        isInterlaced = (picture.integer("interlaced") ?? picture.integer("jpeg-multiscan") ?? 0) != 0
        let isStandard = [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_B_W].contains(picture.interpretation)
        let keepsColors = colors.coding == nil ? !picture.needsProfile : colors.staysInContainer
        isPlain = isStandard && picture.has8Bits && keepsColors
        thumbnail = picture.blob("jpeg-thumbnail-data")
    }

    /// Returns the header of the picture that has this orientation.
    func turned(to orientation: Int) -> PictureHeader {
        var header = self
        header.orientation = orientation
        header.mayTurn = false
        return header
    }

    var isTransposed: Bool { orientation > 4 }
    /// The size of one frame as displayed.
    var size: PixelSize { isTransposed ? storedSize.transposed : storedSize }

    /// Returns the area of one stored frame, before the orientation is applied, that shows `rectangle`: at least one
    /// pixel.
    func area(within rectangle: ClippingRectangle?) -> PixelArea {
        guard let rectangle else { return PixelArea(size: storedSize, in: storedSize) }
        return PixelArea(rectangle, of: size).stored(in: size, orientation: orientation)
    }

    /// Returns the time for which frames are shown, in milliseconds.
    func time(of frames: Range<Int>) -> Int {
        frames.reduce(0) { SafeSize.sum($0, $1 < delays.count ? delays[$1] : Self.defaultDelay) ?? .max }
    }

    var report: SourceReport {
        let duration = time(of: 0..<frames)
        let isKnown = frames > 1 && duration <= MediaLimits.longestDuration.milliseconds
        return SourceReport(
            width: size.width,
            height: size.height,
            frames: frames,
            durationMilliseconds: isKnown ? duration : nil,
        )
    }

    /// Throws if the first frame alone exceeds `limits`.
    func check(against limits: MediaLimits) throws(DecodeError) {
        var limits = limits
        if isReadInParts { limits.framePixels = limits.reducedPixels }
        // libjpeg keeps two bytes for each coefficient of a progressive picture, in addition to the memory of a plain
        // one.
        try storedSize.check(against: limits, cost: isInterlaced ? 2 : 1)
    }

    /// A Boolean value that indicates whether the loader shrinks the picture while it reads, or reads it in parts. What it
    /// takes is then bounded by its memory.
    private var isReadInParts: Bool {
        switch format {
        case .jpeg: !isInterlaced
        case .webp: frames == 1
        case .tiff: true
        default: isTiled
        }
    }

    /// Returns the number of frames that may be in memory together.
    func framesWithin(_ limits: MediaLimits) -> Int {
        min(frames, limits.frames, max(1, limits.totalPixels / storedSize.pixels))
    }
}

extension PixelSize {
    /// Throws if a frame of this size exceeds `limits`, where each pixel counts `cost` times.
    func check(against limits: MediaLimits, cost: Int = 1) throws(DecodeError) {
        let counted = SafeSize.product(pixels, cost) ?? .max
        guard longEdge <= limits.side, counted <= limits.framePixels else {
            let note = cost > 1 ? ", interlaced," : ""
            throw DecodeError(.tooManyPixels, "\(width)x\(height)\(note) is over the limit")
        }
    }
}

extension Picture {
    /// Returns the orientation that XMP data gives: 1 if it gives none. HEIF has its own, which overrides it.
    fileprivate func orientationInXMP(_ format: MediaFormat) -> Int {
        guard format != .heic, format != .avif else { return 1 }
        return blob("xmp-data").flatMap(XMPData.orientation) ?? 1
    }
}

// MARK: - Memory

extension PictureHeader {
    /// Returns the memory that decoding takes, in bytes, in addition to that of every decoder process. An estimate.
    func memoryBytes(for request: ConversionRequest) -> Int {
        let longEdge = max(1, min(request.image.longEdge, request.animation?.longEdge ?? .max))
        let rows = MemoryEstimate.pictureRows(storedSize, longEdge: longEdge)
        let pixels = frames > 1 ? storedSize.pixels * framesWithin(request.limits) : storedSize.pixels
        return rows + pixels * bytesPerPixel(for: request) + resultBytes(for: request)
    }

    /// Returns the memory for the result before it is cropped, and for its encoder.
    private func resultBytes(for request: ConversionRequest) -> Int {
        let rectangle = request.clippingRectangle
        let shape = StillShape(of: self, rules: request.image, clipping: rectangle, focus: request.focus)
        let encoder = request.image.formats.map(\.properties.encoderBytesPerPixel).max() ?? 0
        return shape.target.pixels * ((shape.croppedSize == nil ? 0 : 8) + encoder)
    }

    private func bytesPerPixel(for request: ConversionRequest) -> Int {
        MemoryEstimate.bytesPerPixel(
            format,
            isWhole: isInterlaced || format == .jpeg && storedSize.longEdge <= request.image.longEdge,
            isAnimated: frames > 1,
            isTiled: isTiled,
        )
    }
}

// MARK: - XMP

/// Metadata in XML: ISO 16684-1.
enum XMPData {
    /// The most bytes that are searched. Longer data have pictures in them.
    private static let byteLimit = 1 << 18
    private static let name = Array("tiff:Orientation".utf8)

    /// Returns the value of the orientation, as an attribute or as an element: XMP specification, part 2, section 8.3.
    static func orientation(in bytes: [UInt8]) -> Int? {
        let bytes = bytes.prefix(byteLimit)
        guard let start = bytes.firstRange(of: name) else { return nil }
        // `="6"`, `='6'`, or `>6<`, perhaps with spaces.
        let rest = bytes[start.upperBound...].prefix(16).drop { "= \t\r\n\"'>".utf8.contains($0) }
        guard let digit = rest.first, let end = rest.dropFirst().first, (0x31...0x38).contains(digit),
            !(0x30...0x39).contains(end)
        else { return nil }
        return Int(digit) - 0x30
    }
}
