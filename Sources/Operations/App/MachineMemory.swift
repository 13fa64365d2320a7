import Foundation
import Glibc

/// The memory that this process and its children may use.
enum MachineMemory {
    /// In bytes: the machine's, or what the control group leaves of it.
    static var byteCount: Int {
        let machine = Int(ProcessInfo.processInfo.physicalMemory)
        return groupLimit.map { min($0, machine) } ?? machine
    }

    /// What this process has resident, in bytes.
    static var resident: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// What all decoder processes together may use: half, for the rest is the worker's, the store's and the system's.
    static var decodersShare: Int { byteCount / 2 }

    /// Of control groups version 2, where there is one. "max" is no limit.
    private static var groupLimit: Int? {
        guard let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8) else { return nil }
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
