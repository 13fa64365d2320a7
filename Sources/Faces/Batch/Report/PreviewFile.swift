import Files
import Glibc
import Synchronization

/// The file of the report's thumbnails. It is kept beside the manifest, so that a resumed batch has the thumbnails of
/// earlier runs.
final class PreviewFile: Sendable {
    /// The maximum size of all thumbnails in bytes, so that the report opens fast. Further pictures do not get a
    /// thumbnail.
    private static let byteLimit = 24_000_000
    private static let name = "previews"
    /// The size of an entry's header: a SHA-256 and a length of four bytes.
    private static let headerSize = 36

    private struct State {
        var places: [[UInt8]: Range<Int>] = [:]
        var end = 0
    }

    private let descriptor: Int32
    private let state: Mutex<State>

    /// Opens the file in `folder`. An entry that a crash cut off is overwritten.
    init(in folder: Directory) throws(FileError) {
        descriptor = try folder.openForAppending(Self.name.utf8)
        var state = State()
        while let (digest, count) = Self.header(at: state.end, in: descriptor) {
            let start = state.end + Self.headerSize
            guard [UInt8](start + count - 1..<start + count, of: descriptor).count == 1 else { break }
            state.places[digest] = start..<start + count
            state.end = start + count
        }
        self.state = Mutex(state)
        ftruncate(descriptor, off_t(self.state.withLock(\.end)))
    }

    deinit { close(descriptor) }

    /// Adds the thumbnail of the output whose SHA-256 is `sha256`, unless the file is full.
    func add(_ bytes: [UInt8], of sha256: String) {
        guard let digest = Hexadecimal.bytes(of: sha256), digest.count == 32 else { return }
        state.withLock { state in
            let start = state.end + Self.headerSize
            guard !bytes.isEmpty, start + bytes.count <= Self.byteLimit, state.places[digest] == nil else { return }
            let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) }
            let record = digest + length + bytes
            guard unsafe write(descriptor, record, record.count) == record.count else {
                // The disk is full. Writing the next output reports that.
                ftruncate(descriptor, off_t(state.end))
                return
            }
            state.places[digest] = start..<start + bytes.count
            state.end = start + bytes.count
        }
    }

    func preview(of sha256: String) -> [UInt8]? {
        guard let digest = Hexadecimal.bytes(of: sha256), let place = state.withLock({ $0.places[digest] }) else {
            return nil
        }
        let bytes = [UInt8](place, of: descriptor)
        return bytes.count == place.count ? bytes : nil
    }

    private static func header(at offset: Int, in file: Int32) -> (digest: [UInt8], count: Int)? {
        let header = [UInt8](offset..<offset + headerSize, of: file)
        guard header.count == headerSize else { return nil }
        let count = header[32...].reduce(0) { $0 << 8 | Int($1) }
        return count > 0 && count <= byteLimit ? (Array(header[..<32]), count) : nil
    }
}
