import Files
import Glibc

extension Directory {
    /// Throws if an entry belongs to another user, or if one of attachd's files is a link.
    func checkEntries() throws(FileError) {
        for (name, _) in (try? entries()) ?? [] {
            guard let status = status(of: name) else { continue }
            try Ownership.check(owner: status, at: path(of: name))
            guard AttachmentIdentifier(String(decoding: name, as: UTF8.self)) != nil else { continue }
            try Ownership.check(file: status, at: path(of: name))
        }
    }

    /// Returns the status of a file, or `nil` if it does not exist or is not a file of this user.
    func status(of file: AttachmentIdentifier) -> stat? {
        guard let status = status(of: file.description.utf8), status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return nil }
        return status
    }
}
