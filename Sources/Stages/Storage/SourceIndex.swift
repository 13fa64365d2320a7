import Base
import Files
import Glibc
import Media
import Synchronization

/// The index of the files that were made from each source, so that all files of a source can be taken back.
///
/// It is a folder of text files, to which several processes append. Each line has a keyed hash of the source, a file's name,
/// and the time at which the file was stored. A file holds the lines of a period whose sources have the same beginning of
/// their hash: so a source is looked for in a small part of the index, and whole files are removed when all copies of what
/// they list have expired. Nothing is ever read but for that look. A crash of the machine may lose the last lines.
final class SourceIndex: Sendable {
    private let directory: Directory
    /// The folder with the single file of earlier versions, which grows no more and is read until it has expired.
    private let store: Directory
    private let keys: Replaceable<SigningKeys>
    /// The maximum lifetime of a file's copies. Buckets keep files longer than the store.
    private let keep: Duration
    /// The maximum size, in bytes. A sender decides how many sources there are: the oldest lines go first.
    private let byteLimit: Int
    private let size = Atomic(0)

    static let folder = "sources.index"
    private static let formerName = "sources"
    /// The number of files of one period.
    private static let partCount = 256
    /// The upper bound of valid times, in seconds since 1970.
    private static let latestSecond = 100_000_000_000

    init(in store: Directory, keys: Replaceable<SigningKeys>, retention: Retention) throws(FileError) {
        directory = try store.subdirectory(Self.folder.utf8)
        try directory.checkEntries()
        self.store = store
        self.keys = keys
        keep = retention.keep * 2
        byteLimit = retention.quota / 10
    }

    /// The size at the last sweep and what this process has added since, in bytes.
    var byteCount: Int { size.load(ordering: .relaxed) }

    func insert(_ file: AttachmentIdentifier, of source: String, at now: UnixTime) throws(FileError) {
        let hash = Self.hash(source, keys.current.current)
        let line = Array("\(hash) \(file) \(now.seconds)\n".utf8)
        let name = Part(end: periodEnd(at: now), number: Self.part(of: hash)).name
        let descriptor = try directory.openForAppending(name.utf8)
        defer { close(descriptor) }
        try FileContent.write(line, to: descriptor, named: name)
        size.add(line.count, ordering: .relaxed)
    }

    /// Returns the files of a source without duplicates.
    func files(of source: String) throws(FileError) -> [AttachmentIdentifier] {
        var found: Set<AttachmentIdentifier> = []
        let parts = directory.names.compactMap(Part.init)
        let hashes = keys.current.all.map { Self.hash(source, $0) }
        for hash in hashes {
            for part in parts where part.number == Self.part(of: hash) {
                try read(part.name, in: directory, for: [hash], into: &found)
            }
        }
        try read(Self.formerName, in: store, for: hashes, into: &found)
        return Array(found)
    }

    /// Removes what lists only files whose copies have all expired, and what exceeds the maximum size.
    func sweep(at now: UnixTime) throws(FileError) {
        if let status = store.status(of: Self.formerName.utf8), status.modified + keep <= now {
            try store.remove(Self.formerName.utf8)
        }
        let parts = directory.names.compactMap(Part.init).sorted { $0.end < $1.end }
        let sizes = parts.map { Int(directory.status(of: $0.name.utf8)?.st_size ?? 0) }
        var total = sizes.reduce(0, +)
        for (part, byteCount) in zip(parts, sizes) {
            guard UnixTime(seconds: part.end) + keep <= now || total > byteLimit else { continue }
            try directory.remove(part.name.utf8)
            total -= byteCount
        }
        size.store(total, ordering: .relaxed)
    }

    // MARK: - Files

    /// A file with the lines of one period.
    private struct Part {
        /// The end of the period, in seconds since 1970.
        var end: Int
        var number: Int

        init(end: Int, number: Int) { (self.end, self.number) = (end, number) }

        init?(_ name: String) {
            let words = name.split(separator: "-", omittingEmptySubsequences: false)
            guard words.count == 2, let end = Int(words[0]), (0...latestSecond).contains(end),
                let number = Int(words[1]),
                (0..<partCount).contains(number)
            else { return nil }
            self.init(end: end, number: number)
        }

        var name: String { "\(end)-\(number)" }
    }

    /// Returns the end of the period of `now`: a quarter of the time for which lines are kept.
    private func periodEnd(at now: UnixTime) -> Int {
        let length = max(1, keep.milliseconds / 4000)
        return (now.seconds / length + 1) * length
    }

    /// Returns the number of the part for a hash, by its first byte: five bits of the first digit of Base32, and three of the
    /// second.
    private static func part(of hash: String) -> Int {
        let digits = hash.utf8.prefix(2).map {
            Int($0 >= UInt8(ascii: "a") ? $0 - UInt8(ascii: "a") : $0 - UInt8(ascii: "2") + 26)
        }
        return digits.count == 2 ? (digits[0] * 32 + digits[1]) / 4 : 0
    }

    private static func hash(_ source: String, _ key: Secret<[UInt8]>) -> String {
        Base32.encode(KeyedHash.make("attachd source\n\(source)", key: key))
    }

    /// Adds the files that the lines of these hashes name, block by block.
    private func read(
        _ name: String,
        in directory: Directory,
        for hashes: [String],
        into found: inout Set<AttachmentIdentifier>,
    ) throws(FileError) {
        guard let (descriptor, _) = try directory.openFile(name.utf8) else { return }
        defer { close(descriptor) }
        let wanted = hashes.map { Array($0.utf8) }
        var rest: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = unsafe Glibc.read(descriptor, &block, block.count)
            guard count > 0 else {
                guard count == 0 else { throw FileError("read", "\(directory.path)/\(name)") }
                return
            }
            rest += block[..<count]
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[start..<end]
                if wanted.contains(where: { line.starts(with: $0) }), let file = Self.file(in: line) {
                    found.insert(file)
                }
                start = end + 1
            }
            rest.removeSubrange(..<start)
            // Not a line of ours, which has less than a hundred bytes.
            if rest.count > 1024 { rest = [] }
        }
    }

    private static func file(in line: ArraySlice<UInt8>) -> AttachmentIdentifier? {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let seconds = Int(words[2]), (0...latestSecond).contains(seconds) else { return nil }
        return AttachmentIdentifier(String(words[1]))
    }
}
