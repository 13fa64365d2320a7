import Glibc
import Jobs

/// The right to write to a queue's file, which one process has at a time: the lock of a file beside it. The kernel lets
/// go of it with the process, however that ends.
final class QueueLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Throws `inUse` if another process has it.
    init(besides path: String) throws(JobQueueError) {
        let lockPath = path + ".lock"
        let descriptor = unsafe open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JobQueueError(
                .misconfigured,
                "Can't open \(lockPath): \(errorText(errno)). The queue's file needs a folder of this user's."
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else {
                throw JobQueueError(.misconfigured, "Can't lock \(lockPath): \(errorText(code)).")
            }
            throw JobQueueError(
                .inUse,
                "Another process works with \(path). One process owns a queue's file: end that one, give this one a "
                    + "file of its own, or use a Redis queue for several."
            )
        }
        self.descriptor = descriptor
        self.path = lockPath
    }

    /// Whether the lock's file is still found at its name. Otherwise others can take another one.
    var isInPlace: Bool {
        var (held, found) = (stat(), stat())
        guard unsafe fstat(descriptor, &held) == 0, unsafe lstat(path, &found) == 0 else { return false }
        return QueueFiles.Identity(held) == QueueFiles.Identity(found)
    }

    deinit { close(descriptor) }
}

private func errorText(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}
