package import Base
import Glibc

/// A file operation that failed, or a file or folder that must not be used.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    package let operation: String
    package let path: String
    private let cause: SystemError
    /// The advice, or `nil` if the caller knows better what to do.
    package let remedy: String?
    /// A sentence that describes the problem, used instead of the system's text for the code.
    private let finding: String?
    /// A Boolean value that indicates whether the file holds a secret, which the configuration names.
    package private(set) var concernsSecret = false

    package init(_ operation: String, _ path: String, _ code: Int32 = errno, remedy: String? = nil) {
        self.init(operation, path, code, remedy: remedy, finding: nil)
    }

    private init(_ operation: String, _ path: String, _ code: Int32, remedy: String?, finding: String?) {
        self.operation = operation
        self.path = path
        self.cause = SystemError(operation, code: code)
        self.remedy = remedy
        self.finding = finding
    }

    package var code: Int32 { cause.code }

    /// The system's text for the code.
    package var reason: String { cause.reason }

    /// A Boolean value that indicates whether the disk is full, so that other files cannot be written either.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// A Boolean value that indicates whether the file or folder belongs to another user, is a link, or is writable by
    /// others.
    package var isUntrusted: Bool { finding != nil }

    package var description: String {
        let problem = finding ?? "Cannot \(operation) \(path): \(reason)"
        guard let remedy else { return problem }
        return finding == nil ? "\(problem). \(remedy)" : "\(problem) \(remedy)"
    }
}

extension FileError {
    /// Returns the usual advice for a code about a folder that the user chooses with `option`.
    package static func remedy(for code: Int32, option: String) -> String {
        switch code {
        case ENOSPC, EDQUOT: "Free some disk space, or choose another \(option)."
        case EACCES, EPERM, EROFS: "Choose a \(option) that this user may write to."
        case ELOOP, ENOTDIR:
            "Choose another \(option): it and its folders must be real folders, not links or files."
        default: "Check the \(option)."
        }
    }

    static func foreign(_ path: String, owner: uid_t) -> FileError {
        let user = geteuid()
        return untrusted(
            "\(path) belongs to user \(owner), and attachd runs as user \(user).",
            path,
            remedy:
                "Choose another path, run attachd as that user, or, if you trust its content: chown -R \(user) \(path)",
        )
    }

    static func writableByAll(_ path: String) -> FileError {
        untrusted(
            "Every user of this machine can write to \(path).",
            path,
            remedy: "If you trust its content: chmod o-w \(path)",
        )
    }

    /// Returns the error for a folder whose owner can replace the files below it.
    static func foreignParent(_ folder: String, owner: uid_t, of path: String, option: String) -> FileError {
        untrusted(
            "\(folder) belongs to user \(owner), who can replace \(path).",
            folder,
            remedy: "Choose a \(option) below folders of root or of user \(geteuid()).",
        )
    }

    /// Returns the error for a folder in which other users can replace the files below it.
    static func writableParent(_ folder: String, of path: String, option: String) -> FileError {
        untrusted(
            "Other users can write to \(folder), and so can replace \(path).",
            folder,
            remedy: "If you trust its content: chmod go-w \(folder). Otherwise choose another \(option).",
        )
    }

    static func link(_ path: String) -> FileError {
        untrusted("\(path) is a link.", path, remedy: "Name the folder that it leads to, or remove the link.", ELOOP)
    }

    static func notFile(_ path: String) -> FileError {
        untrusted("\(path) is not a regular file, but a link or something else.", path, remedy: "Remove it.", ELOOP)
    }

    /// Returns the error for a file with a secret that cannot be used.
    package static func secret(_ path: String, _ finding: String, remedy: String, code: Int32 = EPERM) -> FileError {
        var error = untrusted(finding, path, remedy: remedy, code)
        error.concernsSecret = true
        return error
    }

    private static func untrusted(_ finding: String, _ path: String, remedy: String, _ code: Int32 = EPERM)
        -> FileError
    {
        FileError("open", path, code, remedy: remedy, finding: finding)
    }
}

// MARK: - Work that waits for the disk

extension WorkThreads {
    /// Does work with the files below `path`, as `perform` does. If it was not begun, throws `ETIMEDOUT`.
    package func access<Value: Sendable>(
        _ path: String,
        evenIfCancelled: Bool = false,
        _ work: @escaping @Sendable () throws(FileError) -> Value,
    ) async throws(FileError) -> Value {
        let result = await perform(evenIfCancelled: evenIfCancelled) { Result { () throws(FileError) in try work() } }
        guard let result else { throw FileError("wait for the disk of", path, ETIMEDOUT) }
        return try result.get()
    }
}
