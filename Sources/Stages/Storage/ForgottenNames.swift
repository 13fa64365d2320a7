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

// MARK: - Sources

/// The record of the files that were made from each source, so that all files of a source can be taken back.
///
/// It is a text file. Each line has a keyed hash of the source, a file's name, and the time at which the file was
/// stored. Several processes append to it. A crash of the machine may lose its last lines.
final class SourceRecord: Sendable {
    private let directory: Directory
    private let keys: Replaceable<SigningKeys>
    /// The maximum lifetime of a file's copies. Buckets keep files longer than the store.
    private let keep: Duration

    private static let name = "sources"
    /// The minimum size at which the record is rewritten, in bytes.
    private static let smallSize = 1_048_576
    /// The upper bound of valid times, in seconds since 1970.
    private static let latestSecond = 100_000_000_000

    init(in directory: Directory, keys: Replaceable<SigningKeys>, keep: Duration) {
        self.directory = directory
        self.keys = keys
        self.keep = keep * 2
    }

    func insert(_ file: AttachmentIdentifier, of source: String, at now: UnixTime) throws(FileError) {
        let line = "\(Self.hash(source, keys.current.current)) \(file) \(now.seconds)\n"
        try directory.locked { () throws(FileError) in
            let descriptor = try directory.openForAppending(Self.name.utf8)
            defer { close(descriptor) }
            try FileContent.write(Array(line.utf8), to: descriptor, named: Self.name)
        }
    }

    /// Returns the files of a source without duplicates.
    func files(of source: String) throws(FileError) -> [AttachmentIdentifier] {
        let hashes = Set(keys.current.all.map { Self.hash(source, $0) })
        let lines = try lines()
        return Array(Set(lines.filter { hashes.contains($0.hash) }.map(\.file)))
    }

    /// Rewrites a large record without the lines of files whose copies have all expired.
    func sweep(at now: UnixTime, by scratch: Directory) throws(FileError) {
        guard let size = directory.status(of: Self.name.utf8)?.st_size, Int(size) > Self.smallSize else { return }
        try directory.locked { () throws(FileError) in
            var latest: [String: Int] = [:]
            for line in try lines() where UnixTime(seconds: line.seconds) + keep > now {
                latest["\(line.hash) \(line.file)"] = line.seconds
            }
            let text = latest.map { "\($0.key) \($0.value)\n" }.joined()
            guard text.utf8.count * 2 < Int(size) else { return }
            let name = Base32.random()
            let file = try scratch.createFile(name.utf8)
            defer { close(file) }
            try FileContent.write(Array(text.utf8), to: file, named: Self.name)
            try FileContent.sync(file, named: Self.name)
            try scratch.move(name.utf8, to: directory, as: Self.name.utf8)
        }
    }

    private func lines() throws(FileError) -> [(hash: String, file: AttachmentIdentifier, seconds: Int)] {
        guard let (descriptor, _) = try directory.openFile(Self.name.utf8) else { return [] }
        defer { close(descriptor) }
        let text = try FileContent.readAllText(descriptor)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 3, let file = AttachmentIdentifier(String(words[1])), let seconds = Int(words[2]),
                (0...Self.latestSecond).contains(seconds)
            else { return nil }
            return (String(words[0]), file, seconds)
        }
    }

    private static func hash(_ source: String, _ key: Secret<[UInt8]>) -> String {
        Base32.encode(KeyedHash.make("attachd source\n\(source)", key: key))
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
