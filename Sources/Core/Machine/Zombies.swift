import Glibc

/// The children of this process that have ended and that nobody has waited for.
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
