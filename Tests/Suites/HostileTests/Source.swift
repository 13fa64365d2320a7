import Media
import Support

/// Bytes to decode as `format`, which may not be theirs.
struct Source: Sendable {
    var name: String
    var format: MediaFormat
    var bytes: [UInt8]
}

extension Source {
    /// Reads the file at `path` in the format that the worker detects, or as a JPEG if it detects none.
    init(path: String) throws {
        let bytes = try SharedMedia.bytes(path)
        self.init(name: path, format: MediaSniffer.format(of: bytes.span) ?? .jpeg, bytes: bytes)
    }

    /// Returns every hostile file, in the worker's format and in each format that is decoded.
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
