import Digests
import Glibc

/// This process's folder in `tmp/`, locked for as long as the process lives.
///
/// The lock tells live processes from crashed ones: at start, folders that nobody has locked are swept.
final class ScratchDirectory: Sendable {
    let directory: Directory
    private let parent: Directory
    private let name: String

    init(in parent: Directory) throws(StoreError) {
        self.parent = parent
        // One process at a time, or a folder could be swept between being made and being locked.
        guard flock(parent.descriptor, LOCK_EX) == 0 else { throw StoreError("lock", parent.path) }
        defer { flock(parent.descriptor, LOCK_UN) }
        Self.sweep(parent)
        let name = Base32.random()
        let directory = try parent.subdirectory(name)
        guard flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StoreError("lock", directory.path) }
        (self.name, self.directory) = (name, directory)
    }

    deinit { parent.removeEmptySubdirectory(name) }

    /// A Boolean value that indicates whether a live process writes in the folder.
    static func isInUse(_ parent: Directory) -> Bool {
        parent.names.contains { name in
            guard Base32.isOurs(name), let folder = try? parent.subdirectory(name) else { return false }
            guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
            flock(folder.descriptor, LOCK_UN)
            return false
        }
    }

    /// Removes what crashed processes left. Only names that we make are touched, and no link is followed.
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
