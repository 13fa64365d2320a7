import CLibav
import Glibc

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
