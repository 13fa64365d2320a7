import Base
import Glibc

/// A file that holds a secret, such as a token or keys. It is refused if other users can read it.
package struct SecretFile: Sendable, Equatable {
    package let path: String
    /// A Boolean value that indicates whether the file's group may read it, as with secrets that Kubernetes mounts.
    package let isGroupReadable: Bool

    package static let byteLimit = 65_536

    package init(_ path: String, isGroupReadable: Bool = false) {
        self.path = path
        self.isGroupReadable = isGroupReadable
    }

    /// Reads the file. Follows links, because Kubernetes mounts secrets as links.
    package func read() throws(FileError) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let error = SystemError("open")
            let finding = "\(path) cannot be read: \(error.reason)."
            throw .secret(path, finding, remedy: "Check the file's name and mode.", code: error.code)
        }
        defer { close(file) }
        return try read(file)
    }

    /// Reads an open file, which the caller closes.
    package func read(_ file: Int32) throws(FileError) -> String {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw FileError("open", path) }
        try check(status)
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        let count = unsafe Glibc.pread(file, &bytes, bytes.count, 0)
        guard (0...Self.byteLimit).contains(count) else {
            throw .secret(
                path,
                "\(path) is not a file of at most \(Self.byteLimit) bytes.",
                remedy: "Name another file."
            )
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The current state of the file, or `nil` if it does not exist.
    package var version: FileVersion? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? FileVersion(status) : nil
    }

    private func check(_ status: stat) throws(FileError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .secret(path, "\(path) is not a regular file.", remedy: "Write the secret to a file with mode 600.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            let finding = "\(path) belongs to user \(status.st_uid), and attachd runs as user \(geteuid())."
            throw .secret(path, finding, remedy: "Give it to that user: chown \(geteuid()) \(path)")
        }
        guard status.st_mode & S_IRWXO == 0 else {
            throw .secret(
                path,
                "Every user of this machine can read \(path).",
                remedy: "Remove this permission: chmod 600 \(path)"
            )
        }
        guard isGroupReadable || status.st_mode & S_IRWXG == 0 else {
            let remedy = "Remove this permission (chmod 600 \(path)), or allow it with --group-readable-keys."
            throw .secret(path, "The group of \(path) can read it.", remedy: remedy)
        }
    }
}
