import Files
import Glibc
import Jobs

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
