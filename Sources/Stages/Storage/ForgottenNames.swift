import Base
import Files
import Glibc
import Media
import Synchronization

/// The names of files that were taken back. They are not stored again until all links to them have expired.
///
/// Each name is an empty file in a separate folder. Its modification time is the end of its validity. So other and
/// later processes know it, too.
final class ForgottenNames: Sendable {
    private let directory: Directory
    private let ends = Mutex<[AttachmentIdentifier: UnixTime]>([:])

    init(in directory: Directory) {
        self.directory = directory
        load()
    }

    /// Returns whether this process knows that the name is forgotten. Names of other processes are known after `load`.
    func contains(_ name: AttachmentIdentifier, at now: UnixTime) -> Bool {
        ends.withLock { $0[name].map { $0 > now } ?? false }
    }

    /// Returns whether this or another process has forgotten the name.
    func containsAnywhere(_ name: AttachmentIdentifier, at now: UnixTime) -> Bool {
        if contains(name, at: now) { return true }
        guard let status = directory.status(of: name) else { return false }
        let end = status.modified
        ends.withLock { $0[name] = end }
        return end > now
    }

    /// Adds a name. Returns when the entry survives a crash.
    func insert(_ name: AttachmentIdentifier, until end: UnixTime) throws(FileError) {
        if directory.status(of: name) == nil {
            let file: Int32
            do throws(FileError) {
                file = try directory.createFile(name.description.utf8)
            } catch  where error.code == EEXIST {
                // Another process has just forgotten the same name.
                return
            }
            close(file)
        }
        guard directory.touch(name.description.utf8, at: end) else {
            throw FileError("set the time of", "\(directory.path)/\(name)")
        }
        try directory.sync()
        ends.withLock { $0[name] = end }
    }

    /// Loads the names that other processes have forgotten.
    func load() {
        var found: [AttachmentIdentifier: UnixTime] = [:]
        for name in directory.names.compactMap({ AttachmentIdentifier($0) }) {
            found[name] = directory.status(of: name).map { $0.modified }
        }
        ends.withLock { [found] in $0.merge(found) { max($0, $1) } }
    }

    func sweep(at now: UnixTime) {
        load()
        let over = ends.withLock { ends in ends.filter { $0.value <= now }.keys }
        for name in over {
            try? directory.remove(name.description.utf8)
            ends.withLock { _ = $0.removeValue(forKey: name) }
        }
    }
}

// MARK: - References

/// A reference to attachments to take back: the name or the URL of a ready file, or the URL of a source.
package struct AttachmentReference: Sendable, Equatable {
    package var file: AttachmentIdentifier?
    package var source: String?

    /// Reads a reference. Returns `nil` if the text is neither the name of a ready file nor a URL.
    package init?(_ text: String) {
        if let file = AttachmentIdentifier(text) {
            self.file = file
            return
        }
        guard text.contains("://"), text.utf8.count <= 8192 else { return nil }
        source = text
        // A URL of a ready file may also be a source.
        let path = text.prefix { $0 != "?" && $0 != "#" }
        file = path.split(separator: "/").last.flatMap { AttachmentIdentifier(String($0)) }
    }

    package init(file: AttachmentIdentifier) { self.file = file }
}

/// The outcome of taking attachments back.
package struct ForgottenAttachments: Sendable {
    package var files: [AttachmentIdentifier]
    /// The number of workers that know of it.
    package var workers: Int
    /// A Boolean value that indicates whether any of it was known. If not, it is taken back all the same.
    package var isKnown: Bool

    package init(files: [AttachmentIdentifier], workers: Int, isKnown: Bool) {
        self.files = files
        self.workers = workers
        self.isKnown = isKnown
    }
}
