import CLibav
import Glibc

/// libav as this process uses it.
package enum Libav {
    /// Sets what holds for the whole process, once, before anything else in this module: nothing is logged, and no
    /// single allocation may be larger than a frame of the largest picture that is accepted.
    ///
    /// Starts no thread and opens no file later on what it looked up here.
    package static func warmUp() {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(largestAllocation)
        // Dates in containers are read with the local time zone, which is a file.
        tzset()
        for name in DemuxerChoice.allNames { _ = unsafe av_find_input_format(name) }
        for container in Container.allCases { _ = unsafe av_guess_format(container.muxerName, nil, nil) }
        for name in CodecAllowList.decoderNames { _ = unsafe avcodec_find_decoder_by_name(name) }
    }

    private static let largestAllocation = 256 << 20
    /// Decoding and encoding side by side on the two cores of a small machine.
    static let threadCount: Int32 = 2
}
