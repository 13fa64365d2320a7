import Digests
import Glibc

/// This process's folder in `tmp/`, locked until the process ends.
///
/// The lock distinguishes live processes from crashed ones: at start, unlocked folders are removed.
final class ScratchDirectory: Sendable {
    let directory: Directory
    private let parent: Directory
    private let name: String

    init(in parent: Directory) throws(StoreError) {
        self.parent = parent
        // Under a lock, so that another process does not remove the folder before it is locked.
        guard flock(parent.descriptor, LOCK_EX) == 0 else { throw StoreError("lock", parent.path) }
        defer { flock(parent.descriptor, LOCK_UN) }
        Self.sweep(parent)
        let name = Base32.random()
        let directory = try parent.subdirectory(name)
        guard flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StoreError("lock", directory.path) }
        (self.name, self.directory) = (name, directory)
    }

    deinit { parent.removeEmptySubdirectory(name) }

    /// Returns whether a live process writes in the folder.
    static func isInUse(_ parent: Directory) -> Bool {
        parent.names.contains { name in
            guard Base32.isOurs(name), let folder = try? parent.subdirectory(name) else { return false }
            guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
            flock(folder.descriptor, LOCK_UN)
            return false
        }
    }

    /// Removes the files of crashed processes. Touches only names that attachd makes, and does not follow links.
    private static func sweep(_ parent: Directory) {
        for name in parent.names where Base32.isOurs(name) {
            guard let left = try? parent.subdirectory(name), flock(left.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                continue
            }
            for file in left.names { try? left.remove(file) }
            parent.removeEmptySubdirectory(name)
        }
    }
}
