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
    package static func start() throws(DecodeFailure) {
        guard cvips_start() == 0 else {
            throw DecodeFailure(.decoderUnavailable, VipsError("start").failure.detail)
        }
    }

    /// Decodes, scales and converts a tiny picture of every format, so that forked children find all of it in memory.
    ///
    /// The pixels are computed in the calling thread, and the threads that HEIF decoders start are gone with their
    /// picture: a process that was single-threaded is so again, and may fork.
    package static func warmUpBeforeFork() {
        // The loader of WebP decodes whole pictures with libvips' threads, which would stay.
        for (index, format) in sampleFormats.enumerated() where format != .webp {
            _ = sample(index, format)
        }
    }

    /// Encodes a tiny picture in every format that is delivered. This starts libvips' own threads, two or three, which
    /// wait for work for 15 seconds: for a process that will not fork again.
    package static func warmUpInChild() {
        guard let picture = sample(0, .jpeg) else { return }
        do throws(DecodeFailure) {
            _ = try picture.jpeg(quality: 80)
            _ = try picture.png(isPaletted: false)
            _ = try picture.png(isPaletted: true)
            _ = try picture.gif(effort: 1)
        } catch {
            // What cannot be done here fails with a reason when it is asked for.
        }
    }

    /// In the order of `cvips_sample`.
    private static let sampleFormats: [MediaFormat] = [.jpeg, .png, .gif, .webp, .tiff, .heic, .avif]

    private static func sample(_ index: Int, _ format: MediaFormat) -> Picture? {
        var count = 0
        guard let start = unsafe cvips_sample(Int32(index), &count) else { return nil }
        let bytes = unsafe BytesInMemory([UInt8](UnsafeBufferPointer(start: start, count: count)))
        do throws(DecodeFailure) {
            let loaded = try PictureLoader(format: format).open(PictureSource(bytes))
            let scaled = try loaded.in8Bits().inMemory(scaledTo: PixelSize(width: 4, height: 4))
            return try scaled.convertedByProfile(fallback: "srgb").with8Bits().inMemory()
        } catch {
            return nil
        }
    }
}
