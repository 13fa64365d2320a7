package import Base
package import DecoderWire
import Glibc

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

// MARK: - Control groups

/// A control group that limits the threads of one zygote and its decoder processes.
///
/// The group is removed with this object, once its processes have ended.
package final class ControlGroup: Sendable {
    private static let namePrefix = "attachd-decoders-"

    private let path: String

    /// Puts the process `pid` into a new group. Processes that it forks afterwards are in the group too.
    ///
    /// That requires write access to this process's own group or to its parent, as under systemd with `Delegate=pids`.
    /// Containers rarely have it.
    package init(pid: Int32) throws(SystemError) {
        for parent in Self.parents {
            Self.removeLeftovers(in: parent)
            let path = "\(parent)/\(Self.namePrefix)\(pid)"
            guard unsafe mkdir(path, 0o755) == 0 else { continue }
            guard Self.write("\(ResourceLimits.threadCount)", to: "\(path)/pids.max"),
                Self.write("\(pid)", to: "\(path)/cgroup.procs")
            else {
                unsafe rmdir(path)
                continue
            }
            self.path = path
            return
        }
        throw SystemError("no control group can be made", code: EACCES)
    }

    deinit { unsafe rmdir(path) }

    /// The folders of this process's group and of its parent.
    private static var parents: ArraySlice<String> {
        (ControlGroups().controller("pids")?.folders ?? []).prefix(2)
    }

    /// Removes the groups of workers that were killed. The kernel keeps groups that have processes.
    private static func removeLeftovers(in folder: String) {
        guard let stream = unsafe opendir(folder) else { return }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(namePrefix) { unsafe rmdir("\(folder)/\(name)") }
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}

extension ControlGroup {
    /// Makes a group for `pid`, if possible, and returns the state of the layer.
    package static func make(pid: Int32) -> (group: ControlGroup?, state: SandboxReport.State) {
        do throws(SystemError) {
            return (try ControlGroup(pid: pid), .on)
        } catch {
            return (nil, .unavailable(error.description))
        }
    }
}
