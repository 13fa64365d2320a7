import Glibc

/// The files that the origin serves: those below one folder. Links are never followed, and `..` leads nowhere.
package final class OriginFolder: Sendable {
    package let path: String
    private let root: Int32

    /// A folder that cannot be read, with what is wrong.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package init(_ path: String) throws(Failure) {
        self.path = path
        root = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw Failure(description: "\(path) cannot be served: is it a folder that may be read?")
        }
    }

    deinit { close(root) }

    /// The file at the path of a URL; `nil` where there is none, and for whatever is no plain file.
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
