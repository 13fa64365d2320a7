import GRDB
import Jobs

extension JobQueueError {
    /// What an error of SQLite means to a caller.
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
            self.init(.noSpace, "The disk of the queue's file is full. Free some space; the queue goes on by itself.")
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(.noSpace, "The queue's file can't be read or written: \(text).")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.unavailable, "The queue's file is held by a reader: \(text).")
        default:
            self.init(.broken, "The queue's file: \(text).")
        }
    }
}

extension DatabaseError {
    /// The file is no database, or a damaged one.
    var meansDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}
