import Glibc
import Values

/// Disk space that is kept for finishing jobs: a file that is removed when the disk is full.
///
/// Answers need some space before the space of their jobs is free again. Without a reserve, a full disk would keep every job
/// that was accepted from its answer.
struct SpaceReserve {
    private let path: String
    private let size: Int

    static let suffix = ".reserve"

    /// At most 8 MB, which is twice what the log grows to between two checkpoints, and a sixteenth of a small disk.
    init(besides queuePath: String) {
        path = queuePath + Self.suffix
        size = min(8_000_000, (Self.disk(of: queuePath)?.size ?? 0) / 16)
    }

    /// Takes the space, unless the disk would have less than as much free then. Returns whether it is taken, and the disk
    /// has space for more.
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

    /// Gives the space back to whoever needs it.
    func release() { _ = unsafe unlink(path) }

    /// Bytes that are free on the disk of a path's folder, and the disk's size.
    private static func disk(of path: String) -> (free: Int, size: Int)? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { return nil }
        let block = Int(clamping: status.f_frsize)
        return (Int(clamping: status.f_bavail) * block, Int(clamping: status.f_blocks) * block)
    }
}
