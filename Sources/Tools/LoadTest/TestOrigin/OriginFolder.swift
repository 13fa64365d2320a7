import Glibc
import Media

/// The files below one folder that the origin serves. Links are not followed, and `..` is not allowed.
package final class OriginFolder: Sendable {
    package let path: String
    private let root: Int32

    /// The error of a folder that cannot be read.
    package struct ReadError: Error, CustomStringConvertible {
        package var description: String
    }

    package init(_ path: String) throws(ReadError) {
        self.path = path
        root = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw ReadError(description: "The folder \(path) cannot be served. Check that it is a folder and readable.")
        }
    }

    deinit { close(root) }

    /// Returns the file at the path of a URL; `nil` unless there is a regular file.
    func file(at path: String) -> OriginFile? {
        let components = path.split(separator: "/").map { String($0) }
        guard let name = components.last, components.allSatisfy({ $0 != ".." && $0 != "." && !$0.contains("\0") })
        else {
            return nil
        }
        var folder = dup(root)
        for component in components.dropLast() {
            let next = unsafe openat(folder, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            close(folder)
            folder = next
            guard folder >= 0 else { return nil }
        }
        defer { close(folder) }
        let descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        return descriptor >= 0 ? OriginFile(adopting: descriptor, name: name) : nil
    }
}

// MARK: - Files

/// An open file of the origin's folder.
final class OriginFile: Sendable {
    let byteCount: Int
    let mimeType: String
    /// The entity tag, which changes with the file's time and size.
    let tag: String
    private let descriptor: Int32

    /// Creates a file. Returns `nil` unless it is a regular file. Closes the descriptor in any case, at the latest with
    /// this object.
    init?(adopting descriptor: Int32, name: String) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
        tag = "\"\(String(status.st_mtim.tv_sec, radix: 36))-\(String(status.st_size, radix: 36))\""
        let beginning = Self.read(descriptor, 0..<min(byteCount, MediaSniffer.byteCount))
        mimeType = MediaSniffer.format(of: beginning.span)?.mimeType ?? Self.textType(of: name)
    }

    deinit { close(descriptor) }

    /// Returns the bytes of a range, or fewer if the file was truncated in the meantime.
    func read(_ range: Range<Int>) -> [UInt8] { Self.read(descriptor, range) }

    private static func read(_ descriptor: Int32, _ range: Range<Int>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = unsafe max(0, pread(descriptor, buffer.baseAddress, range.count, range.lowerBound))
        }
    }

    private static func textType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "json": "application/json"
        case "html": "text/html; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
