import Glibc
import Media

/// A file operation of the store that failed.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package var operation: String
    package var path: String
    package var code: Int32

    init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var description: String { "\(operation) \(path): \(reason). \(advice)" }

    private var reason: String { unsafe String(cString: strerror(code)) }

    private var advice: String {
        switch code {
        case ENOSPC, EDQUOT: "Free some space, or choose another --store."
        case EACCES, EPERM, EROFS: "Choose a --store that this user may write to."
        case ELOOP, ENOTDIR: "Choose another --store: it and its folders must be real folders, not links or files."
        default: "Check the --store."
        }
    }

    var attachmentFailure: AttachmentFailure {
        let isFull = code == ENOSPC || code == EDQUOT
        let message = isFull ? "The store is full." : "The attachment could not be stored: \(operation): \(reason)."
        return AttachmentFailure(.store, isFull ? .storeFull : .storeFailed, message)
    }
}
