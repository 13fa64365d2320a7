import Glibc

/// Small files that are read whole.
enum TextFile {
    /// `nil` if it can't be read, or is longer.
    static func read(_ path: String, byteLimit: Int) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: byteLimit + 1)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        guard (0...byteLimit).contains(count) else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
