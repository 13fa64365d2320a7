import CVips
import CVipsShim
package import DecoderWire
import Media

/// The process-wide setup of libvips.
package enum Libvips {
    /// Starts libvips. Call it once, before anything else in this module.
    ///
    /// libvips then has no cache, one thread, and no code generated at run time, logs nothing, and blocks every loader
    /// and saver that this module does not call by name. `VIPSHOME` decides which plugin modules are loaded; only the
    /// HEIF one is useful.
    package static func start() throws(DecodeError) { try started.get() }

    /// The result of the only start, made by the first caller.
    private static let started = Result { () throws(DecodeError) in
        guard cvips_start() == 0 else {
            throw DecodeError(.decoderUnavailable, VipsError("start").failure.detail)
        }
    }

    /// Decodes, scales, and converts a tiny picture of almost every format, so that forked children find the code in
    /// memory.
    ///
    /// The calling thread computes the pixels, and the threads of HEIF decoders end with their picture. A process that
    /// was single-threaded is so again afterwards, and may fork.
    package static func warmUpBeforeFork() {
        for (index, format) in sampleFormats.enumerated() where format != .webp {
            _ = sample(index, format)
        }
    }

    /// The formats in the order of `cvips_sample`.
    private static let sampleFormats: [MediaFormat] = [.jpeg, .png, .gif, .webp, .tiff, .heic, .avif]

    /// The sample that is a JPEG.
    package static var jpegSample: (any SourceBytes)? { bytes(ofSample: 0) }

    private static func bytes(ofSample index: Int) -> BytesInMemory? {
        var count = 0
        guard let start = unsafe cvips_sample(Int32(index), &count) else { return nil }
        return unsafe BytesInMemory([UInt8](UnsafeBufferPointer(start: start, count: count)))
    }

    private static func sample(_ index: Int, _ format: MediaFormat) -> Picture? {
        guard let bytes = bytes(ofSample: index) else { return nil }
        do throws(DecodeError) {
            let loaded = try PictureLoader(format: format).open(PictureSource(bytes, format))
            let scaled = try loaded.in8Bits().inMemory(scaledTo: PixelSize(width: 4, height: 4))
            return try scaled.convertedByProfile(fallback: "srgb").with8Bits().inMemory()
        } catch {
            return nil
        }
    }
}
