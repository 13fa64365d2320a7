import Digests
import Files
import Glibc

/// This process's folder in `tmp/`, locked until the process ends.
///
/// The lock distinguishes live processes from crashed ones: at start, unlocked folders are removed.
final class ScratchDirectory: Sendable {
    let directory: Directory
    private let parent: Directory
    private let name: String

    init(in parent: Directory) throws(FileError) {
        self.parent = parent
        // Under a lock, so that another process does not remove the folder before it is locked.
        guard flock(parent.descriptor, LOCK_EX) == 0 else { throw Self.failure(of: parent) }
        defer { flock(parent.descriptor, LOCK_UN) }
        Self.sweep(parent)
        let name = Base32.random()
        let directory = try parent.subdirectory(name.utf8)
        guard flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure(of: directory) }
        (self.name, self.directory) = (name, directory)
    }

    deinit { parent.removeEmptySubdirectory(name.utf8) }

    private static func failure(of directory: Directory) -> FileError {
        FileError("lock", directory.path, remedy: FileError.remedy(for: errno, option: AttachmentStore.option))
    }

    /// Returns whether a live process writes in the folder.
    static func isInUse(_ parent: Directory) -> Bool {
        parent.names.contains { name in
            guard Base32.isOurs(name), let folder = try? parent.subdirectory(name.utf8) else { return false }
            guard flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
            flock(folder.descriptor, LOCK_UN)
            return false
        }
    }

    /// Removes the files of crashed processes. Touches only names that attachd makes, and does not follow links.
    private static func sweep(_ parent: Directory) {
        for name in parent.names where Base32.isOurs(name) {
            guard let left = try? parent.subdirectory(name.utf8), flock(left.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                continue
            }
            for file in left.names { try? left.remove(file.utf8) }
            parent.removeEmptySubdirectory(name.utf8)
        }
    }
}
