import Files
import Glibc
import Payloads

/// The file `manifest.jsonl`. The batch appends a line for each finished file, and sorts the lines at the end.
final class Manifest {
    static let name = "manifest.jsonl"
    /// The maximum length of a line in bytes. attachd does not write longer lines.
    private static let lineLimit = 4_194_304

    private let folder: Directory
    private var descriptor: Int32
    private(set) var byteCount: Int
    private var staged: [UInt8] = []

    /// Opens the manifest in `folder` and reads its lines.
    ///
    /// Removes a last line that a crash cut off. Passes every complete line and its position to `take`.
    init(in folder: Directory, take: (ManifestLine, Range<Int>) -> Void) throws(FileError) {
        self.folder = folder
        descriptor = try folder.openForAppending(Self.name.utf8)
        byteCount = 0
        byteCount = try Self.read(descriptor, take)
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw FileError("shorten", Self.name) }
    }

    deinit { close(descriptor) }

    /// Reads a manifest without changing it.
    static func read(in folder: Directory, take: (ManifestLine, Range<Int>) -> Void) throws(FileError) {
        guard let file = try folder.openFile(name.utf8)?.descriptor else { return }
        defer { close(file) }
        _ = try read(file, take)
    }

    /// Reads all complete lines and returns the end of the last one.
    private static func read(_ file: Int32, _ take: (ManifestLine, Range<Int>) -> Void) throws(FileError) -> Int {
        var line: [UInt8] = []
        var (position, start) = (0, 0)
        var block = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = unsafe pread(file, &block, block.count, off_t(position))
            guard count >= 0 else { throw FileError("read", name) }
            guard count > 0 else { return start }
            var rest = block[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                let after = position + end + 1
                if let value = try? JSONValue(parsing: line), value.isObject {
                    take(ManifestLine(json: value), start..<after)
                }
                (line, start) = ([], after)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= lineLimit else { throw FileError("read", name, EINVAL) }
            position += count
        }
    }

    /// Adds a line for the next `flush` and returns its position in the file.
    func stage(_ line: ManifestLine) -> Range<Int> {
        let bytes = line.json.compactBytes + [UInt8(ascii: "\n")]
        let start = byteCount + staged.count
        staged += bytes
        return start..<start + bytes.count
    }

    /// Writes the added lines to the disk.
    func flush() throws(FileError) {
        guard !staged.isEmpty else { return }
        try FileContent.write(staged, to: descriptor, named: Self.name)
        guard fdatasync(descriptor) == 0 else { throw FileError("write to the disk", Self.name) }
        byteCount += staged.count
        staged = []
    }

    func line(at range: Range<Int>) -> ManifestLine? {
        (try? JSONValue(parsing: [UInt8](range, of: descriptor))).map { ManifestLine(json: $0) }
    }

    /// Writes a new manifest with these lines only, sorted by path, and atomically replaces the old one. Returns the
    /// new positions of the lines.
    func rewrite(_ ranges: [Range<Int>], in scratch: Directory) throws(FileError) -> [Range<Int>] {
        let sorted = ranges.compactMap { range in line(at: range)?.path.map { (path: $0, range: range) } }
            .sorted { $0.path < $1.path }
        let file = try scratch.replaceFile(Self.name)
        do throws(FileError) {
            var (block, position) = ([UInt8](), 0)
            var places: [Range<Int>] = []
            for (_, range) in sorted {
                block += [UInt8](range, of: descriptor)
                places.append(position..<position + range.count)
                position += range.count
                if block.count > 1_048_576 {
                    try FileContent.write(block, to: file, named: Self.name)
                    block = []
                }
            }
            try FileContent.write(block, to: file, named: Self.name)
            guard fsync(file) == 0 else { throw FileError("write to the disk", Self.name) }
            try scratch.move(Self.name.utf8, to: folder, as: Self.name.utf8)
            try folder.sync()
            close(file)
            close(descriptor)
            descriptor = try folder.openForAppending(Self.name.utf8)
            byteCount = position
            return places
        } catch {
            close(file)
            throw error
        }
    }
}

// MARK: - The index

/// An index of the manifest's lines by file, by content and by output. It takes about 15 MB for 100,000 files.
struct ManifestIndex {
    /// The first 128 bits of a SHA-256, enough to be unique within a batch.
    struct Key: Hashable {
        private var high: UInt64
        private var low: UInt64

        init(_ text: [UInt8]) {
            let digest = SHA256.digest(of: text)
            func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            (high, low) = (number(digest.prefix(8)), number(digest.dropFirst(8).prefix(8)))
        }

        init(_ path: RelativePath) { self.init(path.bytes) }

        init(_ content: ManifestLine.Content) { self.init(Array("\(content.sha256) \(content.options)".utf8)) }
    }

    struct Row {
        /// The position of the line in the manifest.
        var range: Range<Int>
        var path: Key
        var content: Key?
        var output: Key?
        /// A Boolean value that indicates whether the output was set aside for another one, in case its content is
        /// needed again.
        var isAside = false
        /// A Boolean value that indicates whether another line replaces this one.
        var isDead = false
    }

    private(set) var rows: [Row] = []
    private var byPath: [Key: Int] = [:]
    private var byContent: [Key: Int] = [:]
    private var byOutput: [Key: Int] = [:]

    /// The valid rows, unordered.
    var live: [Row] { rows.filter { !$0.isDead && !$0.isAside } }

    func row(of path: RelativePath) -> Int? { byPath[Key(path)] }

    /// Returns the row that has the result for a content.
    func row(with content: ManifestLine.Content) -> Int? { byContent[Key(content)] }

    /// Returns the row whose output is at this path.
    func owner(ofOutput path: RelativePath) -> Int? { byOutput[Key(path)] }

    /// Returns whether no output is at this path any more.
    func isFree(_ path: RelativePath) -> Bool { owner(ofOutput: path).map { rows[$0].isDead } ?? true }

    /// Returns whether only this row has the result for its content.
    func isHolder(_ row: Int) -> Bool { rows[row].content.map { byContent[$0] == row } ?? false }

    /// Adds a line of the manifest, replacing an older one of the same file.
    mutating func add(_ line: ManifestLine, at range: Range<Int>) {
        guard let path = line.path else { return }
        let content = line.isSettled ? line.content.map(Key.init) : nil
        let new = Row(range: range, path: Key(path), content: content, output: line.output.map(Key.init))
        let number = rows.count
        rows.append(new)
        if let old = byPath[new.path] { rows[old].isDead = true }
        byPath[new.path] = number
        if let content { byContent[content] = number }
        if let output = new.output { byOutput[output] = number }
    }

    /// Records that a row's output was set aside, because another output needs its path.
    mutating func setAside(_ row: Int) {
        rows[row].isAside = true
        if let output = rows[row].output, byOutput[output] == row { byOutput[output] = nil }
        if byPath[rows[row].path] == row { byPath[rows[row].path] = nil }
    }

    /// Records that a row is no longer valid.
    mutating func drop(_ row: Int) {
        rows[row].isDead = true
        if byPath[rows[row].path] == row { byPath[rows[row].path] = nil }
        if let content = rows[row].content, byContent[content] == row { byContent[content] = nil }
        if let output = rows[row].output, byOutput[output] == row { byOutput[output] = nil }
    }
}
