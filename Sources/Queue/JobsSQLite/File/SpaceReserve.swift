import Glibc
import Values

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
