import CLibav
import DecoderWire
import Glibc
import Media

/// The process-wide setup of libav.
package enum Libav {
    /// Configures libav for the whole process: it logs nothing, and no allocation may be larger than a frame of the
    /// largest accepted picture. Call it once, before anything else in this module.
    ///
    /// Starts no thread, and looks up everything that would later need a file.
    package static func warmUp() {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(largestAllocation)
        // libav reads dates in containers with the local time zone, which is a file.
        tzset()
        for name in DemuxerChoice.allNames { _ = unsafe av_find_input_format(name) }
        for container in Container.allCases { _ = unsafe av_guess_format(container.muxerName, nil, nil) }
        for name in CodecAllowList.decoderNames { _ = unsafe avcodec_find_decoder_by_name(name) }
    }

    private static let largestAllocation = 256 << 20
    /// The number of threads: decoding and encoding run in parallel on the two cores of a small machine.
    static let threadCount: Int32 = 2
}

// MARK: - Errors

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
    static let dolbyVision = DecodeError(.unsupportedFormat, "Dolby Vision without a base", cause: .dolbyVision)
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
