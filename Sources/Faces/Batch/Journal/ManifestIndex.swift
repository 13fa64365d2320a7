import Digests

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
    ///
    /// - Returns: The row of the older line.
    @discardableResult
    mutating func add(_ line: ManifestLine, at range: Range<Int>) -> Int? {
        guard let path = line.path else { return nil }
        let content = line.isSettled ? line.content.map(Key.init) : nil
        let new = Row(range: range, path: Key(path), content: content, output: line.output.map(Key.init))
        let number = rows.count
        let old = byPath[new.path]
        rows.append(new)
        if let old { rows[old].isDead = true }
        byPath[new.path] = number
        if let content { byContent[content] = number }
        if let output = new.output { byOutput[output] = number }
        return old
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
