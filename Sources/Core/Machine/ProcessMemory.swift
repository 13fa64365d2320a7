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
