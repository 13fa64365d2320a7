import Files
import Glibc
import Media

/// This process's folder in `tmp/`, locked until the process ends.
///
/// The lock distinguishes live processes from those that ended: at start, unlocked folders are removed. Nothing is removed
/// at the end, which must not wait for the disk.
final class ScratchDirectory: Sendable {
    let directory: Directory

    init(in parent: Directory) throws(FileError) {
        // Under a lock, so that another process does not remove the folder before it is locked.
        directory = try parent.locked { () throws(FileError) in
            Self.sweep(parent)
            let directory = try parent.subdirectory(Base32.random().utf8)
            guard flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let remedy = FileError.remedy(for: errno, option: AttachmentStore.option)
                throw FileError("lock", directory.path, remedy: remedy)
            }
            return directory
        }
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

// MARK: - Files

extension Directory {
    /// Throws if an entry belongs to another user, or if one of attachd's files is a link.
    func checkEntries() throws(FileError) {
        for (name, _) in (try? entries()) ?? [] {
            guard let status = status(of: name) else { continue }
            try Ownership.check(owner: status, at: path(of: name))
            guard AttachmentIdentifier(String(decoding: name, as: UTF8.self)) != nil else { continue }
            try Ownership.check(file: status, at: path(of: name))
        }
    }

    /// Returns the status of a file, or `nil` if it does not exist or is not a file of this user.
    func status(of file: AttachmentIdentifier) -> stat? {
        guard let status = status(of: file.description.utf8), status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return nil }
        return status
    }
}

extension FileError {
    static func quotaReached(_ quota: Int, path: String) -> FileError {
        let remedy = "Its \(quota / 1_000_000) MB are taken by files that are new or being read. Raise --quota."
        return FileError("add a file to", path, EDQUOT, remedy: remedy)
    }

    static func diskNearlyFull(floor: Int, path: String) -> FileError {
        let remedy =
            "\(floor / 1_000_000) MB of its disk must stay free. Free some disk space, or choose another --store."
        return FileError("add a file to", path, ENOSPC, remedy: remedy)
    }

    static func forgotten(path: String) -> FileError {
        let remedy = "It was taken back (attachd forget) and is not stored again before its links have expired."
        return FileError("store", path, ECANCELED, remedy: remedy)
    }

    var attachmentFailure: AttachmentFailure {
        guard code != ECANCELED else { return AttachmentFailure(.store, .forgotten, "The attachment was taken back.") }
        guard isFull else {
            let message = "The attachment could not be stored (\(operation): \(reason))."
            return AttachmentFailure(.store, code == ETIMEDOUT ? .timedOut : .storeFailed, message)
        }
        let advice = remedy ?? Self.remedy(for: code, option: AttachmentStore.option)
        return AttachmentFailure(.store, .storeFull, "The store is full. \(advice)")
    }
}
