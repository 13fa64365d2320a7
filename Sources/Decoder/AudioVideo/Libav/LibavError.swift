import CLibav
import DecoderWire
import Glibc
import Media

/// Returns the result of a libav call, or throws its error.
@discardableResult
func check(_ call: StaticString, _ code: Int32) throws(DecodeError) -> Int32 {
    guard code >= 0 else { throw DecodeError(call, code: code) }
    return code
}

/// Returns the object that a libav call allocated. Such a call fails only if there is no memory.
func allocated<Object>(
    _ call: StaticString,
    _ object: UnsafeMutablePointer<Object>?,
) throws(DecodeError) -> UnsafeMutablePointer<Object> {
    guard let object = unsafe object else { throw DecodeError(.resourceLimit, "\(call)") }
    return unsafe object
}

extension DecodeError {
    static let encrypted = DecodeError(.unsupportedFormat, "the source is encrypted", cause: .encryption)

    /// Creates the failure for one of libav's negative codes.
    init(_ call: StaticString, code: Int32) {
        let reason: AttachmentFailure.Reason =
            switch code {
            case clibav_error_from_errno(ENOMEM): .resourceLimit
            case clibav_error_from_errno(EFBIG): .tooLarge
            case clibav_error_exit: .timedOut
            case clibav_error_no_decoder, clibav_error_no_demuxer, clibav_error_unfinished, clibav_error_experimental,
                clibav_error_from_errno(ENOSYS):
                .unsupportedFormat
            default: .corrupt
            }
        self.init(reason, "\(call): \(code)")
    }
}

/// The results that control a loop.
enum LibavResult {
    /// The codec needs more input before its next output.
    static let wantsMore = clibav_error_from_errno(EAGAIN)
    static let end = clibav_error_eof
}
