import Foundation
import Glibc

/// The memory that this process and its children may use.
enum MachineMemory {
    /// The size in bytes: that of the machine's memory, or the control group's limit if it is lower.
    static var byteCount: Int {
        let machine = Int(ProcessInfo.processInfo.physicalMemory)
        return groupLimit.map { min($0, machine) } ?? machine
    }

    /// The resident memory of this process, in bytes.
    static var resident: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The memory that all decoder processes may use together: half. The rest is for the worker, the store, and the
    /// system.
    static var decodersShare: Int { byteCount / 2 }

    /// The limit of the control group (version 2), if it has one. "max" means no limit.
    private static var groupLimit: Int? {
        guard let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8) else { return nil }
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
