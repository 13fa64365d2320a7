import CVips
import DecoderWire
import Media

/// What libvips said when an operation failed.
struct VipsError {
    var operation: String
    var message: String

    /// Takes the text out of libvips' error buffer, of which the process has one; only the `_copy` call reads and
    /// clears it under libvips' own lock.
    init(_ operation: String) {
        self.operation = operation
        let text = unsafe vips_error_buffer_copy()
        defer { unsafe g_free(text) }
        message = unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// libvips has no error codes: its words are all there is to tell these three apart.
    var failure: DecodeFailure {
        let detail = "\(operation): \(message)"
        if message.contains("not supported") || message.contains("nsupported") {
            return DecodeFailure(.unsupportedFormat, detail)
        }
        return DecodeFailure(message.contains("out of memory") ? .resourceLimit : .corrupt, detail)
    }
}
