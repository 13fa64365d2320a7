import Glibc
import Media

/// A file operation of the store that failed, or that was not attempted for lack of disk space.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package var operation: String
    package var path: String
    package var code: Int32
    /// The advice, if the code alone does not determine it.
    private var remedy: String?
    /// A sentence that describes the problem, in place of the system's text for the code.
    private var finding: String?
    /// A Boolean value that indicates whether the error concerns a file of the configuration, not the store.
    package private(set) var isConfiguration = false

    init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    static func quotaReached(_ quota: Int, path: String) -> StoreError {
        var error = StoreError("add a file to", path, EDQUOT)
        error.remedy = "Its \(quota / 1_000_000) MB are taken by files that are new or being read. Raise --quota."
        return error
    }

    static func diskNearlyFull(floor: Int, path: String) -> StoreError {
        var error = StoreError("add a file to", path, ENOSPC)
        error.remedy =
            "\(floor / 1_000_000) MB of its disk must stay free. Free some disk space, or choose another --store."
        return error
    }

    static func foreign(_ path: String, owner: uid_t) -> StoreError {
        let user = geteuid()
        return untrusted(
            "\(path) belongs to user \(owner), and attachd runs as user \(user).",
            path,
            remedy:
                "Choose another path, run attachd as that user, or, if you trust its content: chown -R \(user) \(path)",
        )
    }

    static func writableByAll(_ path: String) -> StoreError {
        untrusted(
            "Every user of this machine can write to \(path).",
            path,
            remedy: "If you trust its content: chmod o-w \(path)",
        )
    }

    static func link(_ path: String) -> StoreError {
        untrusted("\(path) is a link.", path, remedy: "Name the folder that it leads to, or remove the link.", ELOOP)
    }

    static func notFile(_ path: String) -> StoreError {
        untrusted("\(path) is not a regular file, but a link or something else.", path, remedy: "Remove it.", ELOOP)
    }

    /// Returns the error for a file with a secret that cannot be used.
    static func secret(_ path: String, _ finding: String, remedy: String) -> StoreError {
        var error = untrusted(finding, path, remedy: remedy)
        error.isConfiguration = true
        return error
    }

    private static func untrusted(_ finding: String, _ path: String, remedy: String, _ code: Int32 = EPERM)
        -> StoreError
    {
        var error = StoreError("open", path, code)
        error.finding = finding
        error.remedy = remedy
        return error
    }

    /// A Boolean value that indicates whether the file or folder belongs to another user, is a link, or is writable by
    /// others.
    package var isUntrusted: Bool { finding != nil }

    static func forgotten(path: String) -> StoreError {
        var error = StoreError("store", path, ECANCELED)
        error.remedy = "It was taken back (attachd forget) and is not stored again before its links have expired."
        return error
    }

    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    package var description: String { "\(finding ?? "Cannot \(operation) \(path): \(reason).") \(advice)" }

    private var reason: String { unsafe String(cString: strerror(code)) }

    private var advice: String {
        if let remedy { return remedy }
        return switch code {
        case ENOSPC, EDQUOT: "Free some disk space, or choose another --store."
        case EACCES, EPERM, EROFS: "Choose a --store that this user may write to."
        case ELOOP, ENOTDIR: "Choose another --store: it and its folders must be real folders, not links or files."
        default: "Check the --store."
        }
    }

    var attachmentFailure: AttachmentFailure {
        guard code != ECANCELED else { return AttachmentFailure(.store, .forgotten, "The attachment was taken back.") }
        let message =
            isFull
            ? "The store is full. \(advice)" : "The attachment could not be stored (\(operation): \(reason))."
        return AttachmentFailure(.store, isFull ? .storeFull : .storeFailed, message)
    }
}
