import Media
import Support

/// Bytes to be decoded as `format`, whether they are of it or not.
struct Source: Sendable {
    var name: String
    var format: MediaFormat
    var bytes: [UInt8]
}

extension Source {
    /// The file at `path`, as the format that the worker takes it for; a JPEG if it knows none.
    init(path: String) throws {
        let bytes = try SharedMedia.bytes(path)
        self.init(name: path, format: MediaSniffer.format(of: bytes.span) ?? .jpeg, bytes: bytes)
    }

    /// Every hostile file, as the worker takes it, and as each format that is decoded.
    static func hostile() throws -> [Source] {
        try SharedMedia.paths(in: "hostile").flatMap { path in
            let source = try Source(path: path)
            return [source] + MediaFormat.allCases.filter { $0 != source.format }.map { source.disguised(as: $0) }
        }
    }

    private func disguised(as format: MediaFormat) -> Source {
        Source(name: "\(name) as \(format.rawValue)", format: format, bytes: bytes)
    }
}
