import Digests
import Storage

/// What the manifest says, without its texts: which line is a file's, a content's and an output's. A hundred thousand
/// files take some 15 MB.
struct ManifestIndex {
    /// The first 128 bits of a SHA-256: enough that no two things of one batch have the same.
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
        /// Where the line stands in the manifest.
        var range: Range<Int>
        var path: Key
        var content: Key?
        var output: Key?
        /// Whether its output was moved out of the way of another's, and waits for its content to turn up again.
        var isAside = false
        /// Whether another line has taken this one's place.
        var isDead = false
    }

    private(set) var rows: [Row] = []
    private var byPath: [Key: Int] = [:]
    private var byContent: [Key: Int] = [:]
    private var byOutput: [Key: Int] = [:]

    /// The rows that count, without order.
    var live: [Row] { rows.filter { !$0.isDead && !$0.isAside } }

    func row(of path: RelativePath) -> Int? { byPath[Key(path)] }

    /// Who has the result for a content.
    func row(with content: ManifestLine.Content) -> Int? { byContent[Key(content)] }

    /// Whose output stands at this path.
    func owner(ofOutput path: RelativePath) -> Int? { byOutput[Key(path)] }

    /// Whether no file has its output at this path any more.
    func isFree(_ path: RelativePath) -> Bool { owner(ofOutput: path).map { rows[$0].isDead } ?? true }

    /// Whether nobody else has the result for this row's content.
    func isHolder(_ row: Int) -> Bool { rows[row].content.map { byContent[$0] == row } ?? false }

    /// Takes in a line of the manifest, in place of an older one of the same file.
    ///
    /// - Returns: The older one.
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

    /// Notes that a row's output is kept elsewhere, because another needs its place.
    mutating func setAside(_ row: Int) {
        rows[row].isAside = true
        if let output = rows[row].output, byOutput[output] == row { byOutput[output] = nil }
        if byPath[rows[row].path] == row { byPath[rows[row].path] = nil }
    }

    /// Notes that a row says nothing about what there is any more.
    mutating func drop(_ row: Int) {
        rows[row].isDead = true
        if byPath[rows[row].path] == row { byPath[rows[row].path] = nil }
        if let content = rows[row].content, byContent[content] == row { byContent[content] = nil }
        if let output = rows[row].output, byOutput[output] == row { byOutput[output] = nil }
    }
}
