import CVips
import DecoderWire
import Media

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
        if message.contains("not supported") || message.contains("nsupported") {
            return DecodeError(.unsupportedFormat, detail)
        }
        return DecodeError(message.contains("out of memory") ? .resourceLimit : .corrupt, detail)
    }
}
