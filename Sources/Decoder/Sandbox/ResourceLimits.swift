import DecoderWire
import Glibc
import Values

/// The limits that the kernel enforces, whatever the process does.
enum ResourceLimits {
    /// The most descriptors: three, the source, and the outputs of a job fit.
    private static let descriptorCount = 16

    /// The most threads of all processes of one zygote: far more than they need, and far fewer than a machine can have.
    static let threadCount = 4096

    static func set(_ limits: ProcessLimits) -> SandboxReport.State {
        let bounds: [(resource: __rlimit_resource, soft: Int, hard: Int)] = [
            (RLIMIT_AS, limits.memoryBytes, limits.memoryBytes),
            (RLIMIT_DATA, limits.memoryBytes, limits.memoryBytes),
            // At the lower limit the kernel sends SIGXCPU, which tells the reason. At the upper one it sends SIGKILL,
            // which does not.
            (RLIMIT_CPU, limits.processorSeconds, limits.processorSeconds + 2),
            (RLIMIT_FSIZE, limits.outputBytes, limits.outputBytes),
            (RLIMIT_NOFILE, descriptorCount, descriptorCount),
            (RLIMIT_CORE, 0, 0),
        ]
        for bound in bounds {
            guard set(bound.resource, bound.soft, bound.hard) else {
                return .unavailable(SystemError("setrlimit").description)
            }
        }
        return .on
    }

    /// Limits the threads of all processes of this user namespace.
    ///
    /// The kernel counts by user, so call this only if the namespace belongs to the decoders alone. Otherwise it would
    /// count the worker's threads and those of the user's other containers too.
    static func setThreadLimit() -> SandboxReport.State {
        set(__RLIMIT_NPROC, threadCount, threadCount) ? .on : .unavailable(SystemError("setrlimit").description)
    }

    private static func set(_ resource: __rlimit_resource, _ soft: Int, _ hard: Int) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
        return unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }
}
