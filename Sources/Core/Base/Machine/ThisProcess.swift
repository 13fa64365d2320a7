import CLinux
import Glibc

/// The memory that a process really has: proc(5), `statm`.
package enum ProcessMemory {
    /// The bytes of this process.
    package static var ofThisProcess: Int? { bytes(of: "self") }

    /// Returns the bytes of a process; `nil` if it is gone.
    package static func bytes(of process: Int32) -> Int? { bytes(of: "\(process)") }

    private static func bytes(of process: String) -> Int? {
        guard let words = SmallFile.text(at: "/proc/\(process)/statm")?.split(separator: " "), words.count > 1,
            let pages = Int(words[1])
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// The protection of this process's memory, which holds tokens and keys, from other processes of its user.
package enum ProcessSecrecy {
    /// Forbids core dumps, debuggers, and reading `/proc/PID/environ` and `mem`: prctl(2), `PR_SET_DUMPABLE`. Programs
    /// that this process starts are not concerned. Failure is harmless: then it is as it was.
    package static func begin() { _ = clinux_process_control(dumpable, 0) }

    package static var isOn: Bool { clinux_process_control(isDumpable, 0) == 0 }

    private static let dumpable = PR_SET_DUMPABLE
    private static let isDumpable = PR_GET_DUMPABLE
}

/// The kernel's name of this machine or container. Reading it needs no network.
package enum HostName {
    package static var current: String? {
        SmallFile.text(at: "/proc/sys/kernel/hostname").map { String($0.prefix { $0 != "\n" }) }
    }
}

// MARK: - Children

/// The ended children of this process for which no code has waited yet.
///
/// As process 1 of a container, attachd becomes the parent of decoder processes whose zygote was killed. No other code
/// knows them, and without somebody who waits for them they would fill the process table.
package struct Zombies: Sendable {
    /// The zombies of the last look. Their parts of the program had the time since then to wait for them.
    private var seen: Set<Int32> = []

    package init() {}

    /// Waits for the zombies that were there at the last look already, and returns their number.
    package mutating func reap() -> Int {
        let zombies = Self.current
        let left = zombies.intersection(seen)
        seen = zombies.subtracting(left)
        return left.count { waitpid($0, nil, WNOHANG) == $0 }
    }

    /// The process ids of all zombies whose parent is this process: proc(5), `stat`.
    private static var current: Set<Int32> {
        guard let folder = unsafe opendir("/proc") else { return [] }
        defer { unsafe _ = closedir(folder) }
        var zombies: Set<Int32> = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let process = Int32(name), let stat = SmallFile.text(at: "/proc/\(process)/stat"),
                let end = stat.lastIndex(of: ")")
            else { continue }
            // The name in parentheses may contain anything.
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            if fields.count > 1, fields[0] == "Z", Int32(fields[1]) == getpid() { zombies.insert(process) }
        }
        return zombies
    }
}
