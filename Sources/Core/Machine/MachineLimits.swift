import CLinux
import Glibc

/// The memory and processors that this process and its children may use: those of the machine, or less where the
/// control group of a container or service has a limit.
package struct MachineLimits: Sendable, Equatable {
    /// The limits of this process, as they were at its first use.
    package static let ofThisProcess = MachineLimits()

    /// The memory in bytes.
    package let memoryBytes: Int
    /// The number of processors, at least 1. A share of one counts as a whole one.
    package let processorCount: Int

    /// Reads the limits. `root` is put before all paths, for tests.
    init(root: String = "", machine: (memoryBytes: Int, processorCount: Int) = Self.machine) {
        let groups = ControlGroups(root: root)
        memoryBytes = Self.memory(groups).map { min($0, machine.memoryBytes) } ?? machine.memoryBytes
        processorCount = Self.processors(groups).map { min($0, machine.processorCount) } ?? machine.processorCount
    }

    /// The machine's memory, and the processors that this process may run on: sched_setaffinity(2).
    private static var machine: (memoryBytes: Int, processorCount: Int) {
        let usable = Int(clinux_processor_count())
        let count = usable > 0 ? usable : sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return (sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)), max(1, count))
    }

    /// Returns the lowest limit. Version 1 has a huge number for none, and version 2 the word "max".
    private static func memory(_ groups: ControlGroups) -> Int? {
        guard let memory = groups.controller("memory") else { return nil }
        let file = memory.version == 1 ? "memory.limit_in_bytes" : "memory.max"
        return memory.folders.compactMap { numbers(in: "\($0)/\(file)").first ?? nil }.filter { $0 > 0 }.min()
    }

    /// Returns the lowest quota of processor time, in processors.
    private static func processors(_ groups: ControlGroups) -> Int? {
        guard let processor = groups.controller("cpu") else { return nil }
        let quotas = processor.folders.compactMap { folder -> Int? in
            let numbers =
                processor.version == 1
                ? numbers(in: "\(folder)/cpu.cfs_quota_us") + numbers(in: "\(folder)/cpu.cfs_period_us")
                : numbers(in: "\(folder)/cpu.max")
            guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0, period > 0 else {
                return nil
            }
            let (whole, rest) = quota.quotientAndRemainder(dividingBy: period)
            return rest > 0 ? whole + 1 : whole
        }
        return quotas.min()
    }

    /// Returns the words of a file as numbers; `nil` for other words, such as "max".
    private static func numbers(in path: String) -> [Int?] {
        (SmallFile.text(at: path) ?? "").split(whereSeparator: \.isWhitespace).map { Int($0) }
    }
}
