import CVips
import CVipsShim
import DecoderWire
import Media

/// The loader for a format. libvips never detects the format itself.
struct PictureLoader {
    var format: MediaFormat
    /// The factor by which the loader shrinks, if it can: 1, 2, 4, or 8.
    var shrink = 1
    var frames = 1
    /// The severity from which on a problem is an error. Lesser problems leave blank or damaged pixels.
    var failOn = VIPS_FAIL_ON_NONE

    /// Returns the largest factor that satisfies a condition and loses less than an eighth of the shorter side.
    ///
    /// A loader leaves out last rows and columns that stand for fewer pixels. If none are left, libvips ends the process.
    static func largestShrink(of size: PixelSize, where isEnough: (Int) -> Bool) -> Int {
        [8, 4, 2].first { min(size.width, size.height) >= 8 * $0 && isEnough($0) } ?? 1
    }

    /// Reads the header. Rendering the picture decodes its pixels.
    func open(_ source: PictureSource) throws(DecodeError) -> Picture {
        let vipsSource = unsafe source.makeVipsSource()
        defer { unsafe g_object_unref(vipsSource) }
        return try unsafe Picture.make("\(format.rawValue)load") { made in
            switch format {
            case .jpeg: unsafe cvips_jpegload(vipsSource, Int32(shrink), failOn, &made)
            case .png: unsafe cvips_pngload(vipsSource, failOn, &made)
            case .gif: unsafe cvips_gifload(vipsSource, Int32(frames), failOn, &made)
            case .webp: unsafe cvips_webpload(vipsSource, Int32(frames), 1 / Double(shrink), failOn, &made)
            case .heic, .avif: unsafe cvips_heifload(vipsSource, failOn, &made)
            case .tiff: unsafe cvips_tiffload(vipsSource, failOn, &made)
            default: -1
            }
        }
    }
}

extension MediaFormat {
    /// A Boolean value that indicates whether pictures are decoded in the order of their bytes, so that an incomplete
    /// one can be shown.
    var isStreamed: Bool { self == .jpeg || self == .png }
}
