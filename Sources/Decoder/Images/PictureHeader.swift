import CVips
import DecoderWire
import Media
import Timing
import Values

/// What a source says of itself before any of its pixels is decoded.
struct PictureHeader {
    let format: MediaFormat
    /// Of one frame, before orientation is applied.
    let storedSize: PixelSize
    /// As in EXIF, 1 to 8.
    let orientation: Int
    let frames: Int
    /// How long each frame is shown, in milliseconds.
    let delays: [Int]
    /// How often an animation is shown; 0 is for ever.
    let loop: Int
    let hasAlpha: Bool
    /// A progressive JPEG or interlaced PNG: it is in memory whole while it is decoded.
    let isInterlaced: Bool
    /// 8 bits of grey or sRGB, with or without alpha, whose profile can go without changing a colour.
    let isPlain: Bool
    /// The JPEG that a camera put into the EXIF data.
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
    /// Of one frame, as it is seen.
    var size: PixelSize { isTransposed ? storedSize.transposed : storedSize }

    /// The part of one frame, before orientation is applied, that `rectangle` keeps of it upright: at least a pixel.
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

    /// Refuses a picture whose first frame alone is more than `limits` allow.
    func check(against limits: MediaLimits) throws(DecodeFailure) {
        // libjpeg keeps two bytes of each coefficient of a progressive picture, on top of what a plain one needs.
        let cost = isInterlaced ? SafeSize.product(storedSize.pixels, 2) ?? .max : storedSize.pixels
        guard storedSize.longEdge <= limits.side, cost <= limits.framePixels, storedSize.pixels <= limits.totalPixels
        else {
            let size = "\(storedSize.width)x\(storedSize.height)"
            throw DecodeFailure(.tooManyPixels, "\(size)\(isInterlaced ? ", interlaced," : "") is over the limit")
        }
    }

    /// How many frames may be decoded, from the first on.
    func framesWithin(_ limits: MediaLimits) -> Int {
        min(frames, limits.frames, max(1, limits.totalPixels / storedSize.pixels))
    }
}

extension Picture {
    /// Whether a colour profile other than sRGB is embedded: its colours must be converted.
    var needsProfile: Bool {
        guard let profile = blob("icc-profile-data") else { return false }
        // The description of every sRGB profile has its name in it, in ASCII or UTF-16. One that lies about it
        // changes the colours of its own picture, no more.
        return !profile.filter { $0 != 0 }.contains("sRGB".utf8)
    }
}
