import Files
import Glibc
import Jobs

/// The paths of the queue's file and its companions, and the check that they belong to this user.
///
/// SQLite follows a symbolic link in place of its file, and GRDB cannot forbid it. So the paths are checked before
/// SQLite opens them, in a folder that only this user can write to (SECURITY.md, T2).
struct QueueFiles: Sendable {
    let path: String

    private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock", SpaceReserve.suffix]

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Throws `untrusted` if a file or the folder belongs to another user, is a link, or is writable by others.
    func check() throws(JobQueueError) {
        do throws(FileError) {
            let descriptor = try Ownership.open(folder: folder, option: "--queue")
            defer { close(descriptor) }
            try Ownership.check(folder: descriptor, at: folder, isEntrance: true)
            try Ownership.check(foldersAbove: folder, option: "--queue")
            for path in Self.suffixes.map({ path + $0 }) {
                var status = stat()
                guard unsafe lstat(path, &status) == 0 else { continue }
                try Ownership.check(file: status, at: path)
            }
        } catch {
            throw JobQueueError(error.isUntrusted ? .untrusted : .misconfigured, "The queue's file: \(error)")
        }
    }

    /// Creates the file if it does not exist, so that SQLite's other files get its permissions. Returns the identity,
    /// which the file at the path must keep.
    func create() throws(JobQueueError) -> FileIdentity {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = FileError("open", path).reason
            throw JobQueueError(.noSpace, "The queue's file cannot be opened at \(path): \(reason).")
        }
        // Closing a descriptor releases SQLite's locks on the file. It has none yet.
        defer { close(descriptor) }
        var status = stat()
        unsafe fstat(descriptor, &status)
        return FileIdentity(status)
    }

    /// The identity of the file at the path now, or `nil` if there is no file.
    var identity: FileIdentity? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? FileIdentity(status) : nil
    }
}
