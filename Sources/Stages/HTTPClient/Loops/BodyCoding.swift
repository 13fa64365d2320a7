/// A header field by which an answer says that its body is coded.
///
/// libcurl undoes transfer codings on the loop's thread, however deeply nested, and does not check the time meanwhile.
/// So the transfer ends at the field itself, before any byte of the body is there (SECURITY N8).
enum BodyCoding: Equatable {
    case transfer, content

    /// Reads a line, or returns `nil` for every other line of a head, and for a coding that leaves the body's bytes as
    /// they are: `chunked`, which is undone as the bytes come, and `identity`.
    init?(_ line: UnsafeRawBufferPointer) {
        // Few fields begin like one of the two.
        guard let first = unsafe line.first, "ctCT".utf8.contains(first),
            let colon = unsafe line.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let name = unsafe Self.text(line[..<colon])
        let value = unsafe Self.text(line[(colon + 1)...])
        switch (name, value) {
        case ("transfer-encoding", "chunked"), ("content-encoding", "identity"), ("content-encoding", ""): return nil
        case ("transfer-encoding", _): self = .transfer
        case ("content-encoding", _): self = .content
        default: return nil
        }
    }

    /// The words for what an origin did that sent this field.
    var lie: String {
        switch self {
        case .transfer: "sent its answer in a transfer coding other than chunked"
        case .content: "sent an encoded answer (Content-Encoding) although none was requested"
        }
    }

    /// Returns the text in lower case, without surrounding spaces.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
        let start = unsafe bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = unsafe bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return unsafe String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
    }
}
