import CVips
import CVipsShim
import DecoderWire
import Media

/// Opens a picture with the loader that its format names. libvips' own recognition of formats is never asked.
struct PictureLoader {
    var format: MediaFormat
    /// The factor by which the loader itself shrinks, where it can: 1, 2, 4 or 8.
    var shrink = 1
    var frames = 1
    /// What counts as a failure; less than this leaves blank or damaged pixels.
    var failOn = VIPS_FAIL_ON_NONE

    /// Reads the header. The pixels are decoded when the picture is rendered.
    func open(_ source: PictureSource) throws(DecodeFailure) -> Picture {
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
    /// Whether its pictures are decoded in the order of their bytes, so that what is there of one can be used.
    var isStreamed: Bool { self == .jpeg || self == .png }
}
