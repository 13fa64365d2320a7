import Glibc
import Jobs
import Storage

/// The names of the queue's file and its companions, and the check that they are this user's.
///
/// SQLite follows a link that stands in place of its file, and GRDB has no way to forbid it. So the names are checked
/// before it opens them, in a folder that nobody else can write to (SECURITY.md, T2).
struct QueueFiles: Sendable {
    /// What tells one file from another, whatever it is called.
    struct Identity: Equatable {
        private let device: dev_t
        private let number: ino_t

        init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
    }

    let path: String

    private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock", SpaceReserve.suffix]

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Refuses files and a folder of another user, links, and what others can write to.
    func check() throws(JobQueueError) {
        do throws(StoreError) {
            let descriptor = try Ownership.open(folder: folder)
            defer { close(descriptor) }
            try Ownership.check(folder: descriptor, at: folder, isEntrance: true)
            for path in Self.suffixes.map({ path + $0 }) {
                var status = stat()
                guard unsafe lstat(path, &status) == 0 else { continue }
                try Ownership.check(file: status, at: path)
            }
        } catch {
            throw JobQueueError(error.isUntrusted ? .untrusted : .misconfigured, "The queue's file: \(error)")
        }
    }

    /// Makes the file where there is none, so that SQLite's other files get its permissions. It must stay what is found
    /// at its name.
    func create() throws(JobQueueError) -> Identity {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw JobQueueError(.noSpace, "The queue's file can't be opened at \(path): \(reason).")
        }
        // SQLite's locks would go with the descriptor; it has none yet.
        defer { close(descriptor) }
        var status = stat()
        unsafe fstat(descriptor, &status)
        return Identity(status)
    }

    /// The file that is found at the path now; `nil` if there is none.
    var identity: Identity? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Identity(status) : nil
    }
}
