import Glibc
import Media

/// A file operation of the store that failed, or that was not tried because there is no place left.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package var operation: String
    package var path: String
    package var code: Int32
    /// What to do, where the code alone doesn't say it.
    private var remedy: String?

    init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    static func quotaReached(_ quota: Int, path: String) -> StoreError {
        var error = StoreError("keep within the quota", path, EDQUOT)
        error.remedy = "Its \(quota / 1_000_000) MB are taken by files that are new or being read: raise --quota."
        return error
    }

    static func diskNearlyFull(floor: Int, path: String) -> StoreError {
        var error = StoreError("keep some of the disk free", path, ENOSPC)
        error.remedy = "\(floor / 1_000_000) MB of its disk stay free: free some, or choose another --store."
        return error
    }

    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    package var description: String { "\(operation) \(path): \(reason). \(advice)" }

    private var reason: String { unsafe String(cString: strerror(code)) }

    private var advice: String {
        if let remedy { return remedy }
        return switch code {
        case ENOSPC, EDQUOT: "Free some space, or choose another --store."
        case EACCES, EPERM, EROFS: "Choose a --store that this user may write to."
        case ELOOP, ENOTDIR: "Choose another --store: it and its folders must be real folders, not links or files."
        default: "Check the --store."
        }
    }

    var attachmentFailure: AttachmentFailure {
        let message =
            isFull
            ? "The store is full. \(advice)" : "The attachment could not be stored: \(operation): \(reason)."
        return AttachmentFailure(.store, isFull ? .storeFull : .storeFailed, message)
    }
}
