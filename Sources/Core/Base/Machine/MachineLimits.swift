import CLinux
import Glibc

/// The memory and processors that this process and its children may use: those of the machine, or less where the
/// control group of a container or service has a limit.
package struct MachineLimits: Sendable, Equatable {
    /// The limits of this process, as they were at its first use.
    package static let ofThisProcess = MachineLimits()

    /// The memory in bytes.
    package let memoryBytes: Int
    /// The number of processors, at least 1. A fraction of a processor is rounded up.
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

// MARK: - Control groups

/// The control groups of this process: the kernel's document "Control Group v2", and cgroups(7) for version 1.
package struct ControlGroups: Sendable {
    /// The groups of one controller, such as `memory`.
    package struct Controller: Sendable, Equatable {
        /// 1 or 2. The versions name their files differently.
        package let version: Int
        /// The folders of this process's group and of all groups around it, up to the root. All their limits apply.
        package let folders: [String]
    }

    private let root: String
    /// The number, the controllers, and the path of each hierarchy.
    private let hierarchies: [[Substring]]

    /// Reads the groups of this process. `root` is put before all paths, for tests.
    package init(root: String = "") {
        self.root = root
        let text = SmallFile.text(at: root + "/proc/self/cgroup") ?? ""
        hierarchies = text.split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
            .filter { $0.count == 3 }
    }

    /// Returns the groups of the controller; `nil` if the system has none. A system with both versions has each controller
    /// in one of them.
    package func controller(_ name: String) -> Controller? {
        if let old = hierarchies.first(where: { $0[1].split(separator: ",").contains(Substring(name)) }) {
            return Controller(version: 1, folders: folders("/sys/fs/cgroup/\(name)", old[2]))
        }
        guard let unified = hierarchies.first(where: { $0[0] == "0" }) else { return nil }
        return Controller(version: 2, folders: folders("/sys/fs/cgroup", unified[2]))
    }

    /// Returns the folders from the folder of `path` up to the mount point of the hierarchy.
    ///
    /// In a container, that may be the container's own group, and `path` one of the host that is not visible. Files that
    /// are not there set no limit.
    private func folders(_ mount: String, _ path: Substring) -> [String] {
        var names = path.split(separator: "/")
        var folders: [String] = []
        while !names.isEmpty {
            folders.append("\(root)\(mount)/\(names.joined(separator: "/"))")
            names.removeLast()
        }
        return folders + [root + mount]
    }
}

// MARK: - Files of the system

/// A small file of the system, such as those of `/proc`.
enum SmallFile {
    private static let byteLimit = 65_536

    /// Returns the content; `nil` if the file cannot be read.
    static func text(at path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var count = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteLimit) { buffer, initialized in
            count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            initialized = max(0, count)
        }
        return count < 0 ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
