import Digests
import Glibc
import Media
import Timing
import Values

/// Which files were made of which source, so that all of a source's files can be taken back.
///
/// A file of lines, each with a keyed hash of the source, a name, and when the file was stored. Several processes add to
/// it. A crash of the machine may lose its last lines.
final class SourceRecord: Sendable {
    private let directory: Directory
    private let keys: Replaceable<SigningKeys>
    /// How long a file may be anywhere: in a bucket it is kept for longer than here.
    private let keep: Duration

    private static let name = "sources"
    /// A smaller record isn't rewritten.
    private static let smallSize = 1_048_576
    /// A time that no file of ours has.
    private static let latestSecond = 100_000_000_000

    init(in directory: Directory, keys: Replaceable<SigningKeys>, keep: Duration) {
        self.directory = directory
        self.keys = keys
        self.keep = keep * 2
    }

    func insert(_ file: AttachmentIdentifier, of source: String, at now: UnixTime) throws(StoreError) {
        let line = "\(Self.hash(source, keys.current.current)) \(file) \(now.seconds)\n"
        try directory.locked { () throws(StoreError) in
            let descriptor = try directory.openForAppending(Self.name)
            defer { close(descriptor) }
            try FileContent.write(line, to: descriptor)
        }
    }

    /// The files of a source, each once.
    func files(of source: String) throws(StoreError) -> [AttachmentIdentifier] {
        let hashes = Set(keys.current.all.map { Self.hash(source, $0) })
        let lines = try lines()
        return Array(Set(lines.filter { hashes.contains($0.hash) }.map(\.file)))
    }

    /// Drops the lines of files that are nowhere any more, where they are many.
    func sweep(at now: UnixTime, by scratch: Directory) throws(StoreError) {
        guard let size = directory.status(of: Self.name)?.st_size, Int(size) > Self.smallSize else { return }
        try directory.locked { () throws(StoreError) in
            var latest: [String: Int] = [:]
            for line in try lines() where UnixTime(seconds: line.seconds) + keep > now {
                latest["\(line.hash) \(line.file)"] = line.seconds
            }
            let text = latest.map { "\($0.key) \($0.value)\n" }.joined()
            guard text.utf8.count * 2 < Int(size) else { return }
            let name = Base32.random()
            let file = try scratch.createFile(name)
            defer { close(file) }
            try FileContent.write(text, to: file)
            try FileContent.sync(file)
            try scratch.move(name, to: directory, as: Self.name)
        }
    }

    private func lines() throws(StoreError) -> [(hash: String, file: AttachmentIdentifier, seconds: Int)] {
        guard let (descriptor, _) = try directory.openFile(Self.name) else { return [] }
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
