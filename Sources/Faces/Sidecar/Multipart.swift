/// Several parts of a file in one body (RFC 9110, section 14.6).
struct Multipart {
    let type: String
    let pieces: [AttachmentBody.Piece]

    init(_ parts: [Range<Int>], of byteCount: Int, type: String) {
        // Random, so that no file can hold it on purpose.
        let boundary =
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        self.type = "multipart/byteranges; boundary=\(boundary)"
        pieces =
            parts.flatMap { part -> [AttachmentBody.Piece] in
                let range = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(byteCount)"
                let head = "\r\n--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: \(range)\r\n\r\n"
                return [.text(head), .bytes(part)]
            } + [.text("\r\n--\(boundary)--\r\n")]
    }
}
