import Base
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

// MARK: - The lock

/// The exclusive right of one process to write to a queue's file: a lock on a file beside it. The kernel releases the
/// lock when the process ends, for whatever reason.
final class QueueLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Takes the lock. Throws `inUse` if another process holds it.
    init(besides path: String) throws(JobQueueError) {
        let lockPath = path + ".lock"
        let descriptor = unsafe open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = FileError("open", lockPath).reason
            throw JobQueueError(
                .misconfigured,
                "\(lockPath) cannot be opened: \(reason). Put the queue's file into a folder of this user."
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = FileError("lock", lockPath)
            close(descriptor)
            guard error.code == EWOULDBLOCK else {
                throw JobQueueError(.misconfigured, "\(lockPath) cannot be locked: \(error.reason).")
            }
            throw JobQueueError(
                .inUse,
                "Another process works with \(path). Only one process can use a queue's file. End that process, give this "
                    + "one another file, or use a Redis queue for several processes."
            )
        }
        self.descriptor = descriptor
        self.path = lockPath
    }

    /// A Boolean value that indicates whether the locked file is still at its path. Otherwise other processes can lock
    /// a new one.
    var isInPlace: Bool {
        var (held, found) = (stat(), stat())
        guard unsafe fstat(descriptor, &held) == 0, unsafe lstat(path, &found) == 0 else { return false }
        return FileIdentity(held) == FileIdentity(found)
    }

    deinit { close(descriptor) }
}

// MARK: - The reserve

/// A reserve of disk space for finishing jobs: a file that is removed when the disk is full.
///
/// Answers need some space before the space of their jobs is free again. Without a reserve, accepted jobs could not be
/// answered on a full disk.
struct SpaceReserve {
    private let path: String
    private let size: Int

    static let suffix = ".reserve"

    /// Creates a reserve of at most 8 MB, twice the size of the log between two checkpoints, or of a sixteenth of a
    /// small disk.
    init(besides queuePath: String) {
        path = queuePath + Self.suffix
        size = min(8_000_000, (Self.disk(of: queuePath)?.size ?? 0) / 16)
    }

    /// Allocates the reserve, unless the disk would then have less free space than its size. Returns whether the
    /// reserve is allocated and the disk has free space.
    func take() -> Bool {
        guard size > 0 else { return true }
        guard let free = Self.disk(of: path)?.free else { return false }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, Int(status.st_size) >= size { return free >= size }
        if free >= 2 * size, posix_fallocate(descriptor, 0, off_t(size)) == 0 { return true }
        release()
        return false
    }

    /// Frees the reserve.
    func release() { _ = unsafe unlink(path) }

    /// Returns the free space and the size of the disk that holds the path's folder, in bytes.
    private static func disk(of path: String) -> (free: Int, size: Int)? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { return nil }
        let block = Int(clamping: status.f_frsize)
        return (Int(clamping: status.f_bavail) * block, Int(clamping: status.f_blocks) * block)
    }
}
