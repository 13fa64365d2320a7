import Glibc

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
