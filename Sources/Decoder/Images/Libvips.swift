import CVips
import CVipsShim
package import DecoderWire
import Media

/// libvips as this process uses it.
package enum Libvips {
    /// Starts libvips, once, before anything else in this module: no cache, one thread, no code made at run time,
    /// nothing logged, and every loader and saver blocked but those that this module calls by name.
    ///
    /// `VIPSHOME` decides which plugin modules are loaded; only the HEIF one is of use.
    package static func start() throws(DecodeFailure) { try started.get() }

    /// Made by whoever asks first, however many do.
    private static let started = Result { () throws(DecodeFailure) in
        guard cvips_start() == 0 else {
            throw DecodeFailure(.decoderUnavailable, VipsError("start").failure.detail)
        }
    }

    /// Decodes, scales and converts a tiny picture of almost every format, so that forked children find it in memory.
    ///
    /// The pixels are computed in the calling thread, and the threads that HEIF decoders start are gone with their
    /// picture: a process that was single-threaded is so again, and may fork.
    package static func warmUpBeforeFork() {
        for (index, format) in sampleFormats.enumerated() where format != .webp {
            _ = sample(index, format)
        }
    }

    /// In the order of `cvips_sample`.
    private static let sampleFormats: [MediaFormat] = [.jpeg, .png, .gif, .webp, .tiff, .heic, .avif]

    private static func sample(_ index: Int, _ format: MediaFormat) -> Picture? {
        var count = 0
        guard let start = unsafe cvips_sample(Int32(index), &count) else { return nil }
        let bytes = unsafe BytesInMemory([UInt8](UnsafeBufferPointer(start: start, count: count)))
        do throws(DecodeFailure) {
            let loaded = try PictureLoader(format: format).open(PictureSource(bytes, format))
            let scaled = try loaded.in8Bits().inMemory(scaledTo: PixelSize(width: 4, height: 4))
            return try scaled.convertedByProfile(fallback: "srgb").with8Bits().inMemory()
        } catch {
            return nil
        }
    }
}
