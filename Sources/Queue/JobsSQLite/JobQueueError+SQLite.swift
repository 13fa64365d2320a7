import GRDB
import Jobs

extension JobQueueError {
    /// Translates an error of SQLite for the queue's callers.
    init(_ error: any Error) {
        switch error {
        case let error as JobQueueError: self = error
        case let error as DatabaseError: self.init(error)
        default: self.init(.broken, "The queue's file: \(error)")
        }
    }

    private init(_ error: DatabaseError) {
        let text = error.message ?? "error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(
                .noSpace,
                "The disk of the queue's file is full. Free some disk space. The queue then resumes by itself."
            )
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(.noSpace, "The queue's file cannot be read or written: \(text).")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.unavailable, "The queue's file is locked by another process that reads it: \(text).")
        default:
            self.init(.broken, "The queue's file: \(text).")
        }
    }
}

extension DatabaseError {
    /// A Boolean value that indicates whether the file is damaged or not a database.
    var meansDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}
