import CVips
import DecoderWire
import Media
import Timing
import Values

/// The properties of a source that are known before any pixel is decoded.
struct PictureHeader {
    let format: MediaFormat
    /// The size of one frame, before the orientation is applied.
    let storedSize: PixelSize
    /// The EXIF orientation, from 1 to 8.
    let orientation: Int
    let frames: Int
    /// The time of each frame, in milliseconds.
    let delays: [Int]
    /// The number of times the animation plays; 0 for endlessly.
    let loop: Int
    let hasAlpha: Bool
    /// A Boolean value that indicates whether this is a progressive JPEG or an interlaced PNG, which are decoded as a
    /// whole in memory.
    let isInterlaced: Bool
    /// A Boolean value that indicates whether the picture is 8-bit grey or sRGB, with or without alpha, so that its
    /// profile can be dropped without changing a colour.
    let isPlain: Bool
    /// The JPEG thumbnail in the EXIF data, if there is one.
    let thumbnail: [UInt8]?

    init(of picture: borrowing Picture, format: MediaFormat) {
        self.format = format
        let pages = max(1, picture.integer("n-pages") ?? 1)
        storedSize = PixelSize(width: picture.width, height: picture.integer("page-height") ?? picture.height)
        orientation = (1...8).contains(picture.orientation) ? picture.orientation : 1
        frames = format == .gif || format == .webp ? pages : 1
        delays = picture.integers("delay")
        loop = picture.integer("loop") ?? 0
        hasAlpha = picture.hasAlpha
        isInterlaced = (picture.integer("interlaced") ?? picture.integer("jpeg-multiscan") ?? 0) != 0
        let isStandard = [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_B_W].contains(picture.interpretation)
        isPlain = isStandard && picture.has8Bits && !picture.needsProfile
        thumbnail = picture.blob("jpeg-thumbnail-data")
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

    var report: SourceReport {
        let duration = delays.prefix(frames).reduce(0) { SafeSize.sum($0, max(0, $1)) ?? .max }
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
        // libjpeg keeps two bytes for each coefficient of a progressive picture, in addition to the memory of a plain
        // one.
        let cost = isInterlaced ? SafeSize.product(storedSize.pixels, 2) ?? .max : storedSize.pixels
        guard storedSize.longEdge <= limits.side, cost <= limits.framePixels, storedSize.pixels <= limits.totalPixels
        else {
            let size = "\(storedSize.width)x\(storedSize.height)"
            throw DecodeError(.tooManyPixels, "\(size)\(isInterlaced ? ", interlaced," : "") is over the limit")
        }
    }

    /// Returns the number of frames that may be decoded, from the first on.
    func framesWithin(_ limits: MediaLimits) -> Int {
        min(frames, limits.frames, max(1, limits.totalPixels / storedSize.pixels))
    }
}

extension Picture {
    /// A Boolean value that indicates whether the picture has a colour profile other than sRGB, so that its colours
    /// must be converted.
    var needsProfile: Bool {
        guard let profile = blob("icc-profile-data") else { return false }
        // The description of every sRGB profile contains its name, in ASCII or UTF-16. A false name only spoils the
        // colours of that picture.
        return !profile.filter { $0 != 0 }.contains("sRGB".utf8)
    }
}
