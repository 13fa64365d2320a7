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
        (try? JSONValue(parsing: bytes(at: range))).map { ManifestLine(json: $0) }
    }

    private func bytes(at range: Range<Int>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = max(0, unsafe pread(descriptor, buffer.baseAddress, range.count, off_t(range.lowerBound)))
        }
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
                block += bytes(at: range)
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
