import Glibc

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
