import DecoderWire
import Glibc

/// Bounds that the kernel keeps, whatever the process does.
enum ResourceLimits {
    /// Enough for the job's own descriptors: three, the source and the outputs.
    private static let descriptorCount = 16

    static func set(_ limits: ProcessLimits) -> SandboxReport.State {
        // The number of processes is no limit here: threads count too, and the filter forbids processes altogether.
        let bounds: [(__rlimit_resource, Int)] = [
            (RLIMIT_AS, limits.memoryBytes),
            (RLIMIT_DATA, limits.memoryBytes),
            (RLIMIT_CPU, limits.processorSeconds),
            (RLIMIT_FSIZE, limits.outputBytes),
            (RLIMIT_NOFILE, descriptorCount),
            (RLIMIT_CORE, 0),
        ]
        for (resource, bound) in bounds {
            var limit = rlimit(rlim_cur: rlim_t(bound), rlim_max: rlim_t(bound))
            guard unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else {
                return .unavailable(SystemError("setrlimit").description)
            }
        }
        return .on
    }
}
