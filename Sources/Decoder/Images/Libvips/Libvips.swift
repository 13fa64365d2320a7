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

    /// Decodes and scales a tiny picture of almost every format, and converts one of them, so that forked children find
    /// the code in memory.
    ///
    /// The calling thread computes the pixels, and the threads of HEIF decoders end with their picture. A process that
    /// was single-threaded is so again afterwards, and may fork.
    package static func warmUpBeforeFork() {
        for (format, bytes) in SampleMedia.pictures where format != .webp { _ = picture(of: bytes, format) }
    }

    /// A tiny JPEG.
    package static var jpegSample: (any SourceBytes)? {
        SampleMedia.pictures.first { $0.format == .jpeg }.map { BytesInMemory($0.bytes) }
    }

    private static func picture(of bytes: [UInt8], _ format: MediaFormat) -> Picture? {
        do throws(DecodeError) {
            let loaded = try PictureLoader(format: format).open(PictureSource(BytesInMemory(bytes), format))
            let scaled = try loaded.in8Bits().inMemory(scaledTo: PixelSize(width: 4, height: 4))
            // Once is enough: preparing the profiles takes 3 ms.
            guard format == .jpeg else { return scaled }
            return try scaled.convertedByProfile(fallback: "srgb").with8Bits().inMemory()
        } catch {
            return nil
        }
    }
}

// MARK: - Errors

/// The error message of a failed libvips operation.
struct VipsError {
    var operation: String
    var message: String

    /// Takes the text out of libvips' error buffer, which all threads share. Only the `_copy` call reads and clears it
    /// under libvips' own lock.
    init(_ operation: String) {
        self.operation = operation
        let text = unsafe vips_error_buffer_copy()
        defer { unsafe g_free(text) }
        message = unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// The failure, distinguished by the text: libvips has no error codes.
    var failure: DecodeError {
        let detail = "\(operation): \(message)"
        // libheif 1.15 says the last where a picture's transformations stand before its size.
        let isUnsupported = ["not supported", "nsupported", "bad image dimensions"].contains { message.contains($0) }
        if isUnsupported {
            return DecodeError(.unsupportedFormat, detail)
        }
        return DecodeError(message.contains("out of memory") ? .resourceLimit : .corrupt, detail)
    }
}
