import HTTPClient

/// An object of a bucket, as `s3://BUCKET/KEY` names it.
struct ObjectReference: Equatable {
    let bucket: String
    let key: String

    private static let prefix = "s3://"
    /// The most bytes of a key, as S3 has it.
    private static let keyByteLimit = 1024

    /// Returns whether a text names an object, well or badly.
    static func isOne(_ text: String) -> Bool { text.prefix(prefix.count).lowercased() == prefix }

    /// Reads the text. Bytes of the key may be percent-encoded, once.
    init(_ text: String) throws(DownloadURL.ParseError) {
        let rest = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard !rest.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw .invalid("the name of an object has neither ? nor #; write %3F and %23")
        }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
            throw .invalid("it names no object in its bucket")
        }
        bucket = String(decoding: rest[..<slash], as: UTF8.self)
        let path = PathText(String(decoding: rest[rest.index(after: slash)...], as: UTF8.self)).decoded
        key = path.text
        guard !key.isEmpty else { throw .invalid("it names no object in its bucket") }
        guard key.utf8.count <= Self.keyByteLimit else {
            throw .invalid("the object's name is longer than \(Self.keyByteLimit) bytes")
        }
        guard path.isPlainText else {
            throw .invalid("the object's name is not plain text")
        }
        // libcurl, and stores too, would follow them.
        guard !path.names.contains(where: { $0 == "." || $0 == ".." }) else {
            throw .invalid("the object's name has . or .. between slashes")
        }
    }

    /// Returns the URL of the object if it is below the prefix of `address`; `nil` otherwise.
    func url(in address: BucketAddress) -> String? {
        guard bucket == address.name, key.utf8.starts(with: address.prefix.utf8) else { return nil }
        let rest = Array(key.utf8.dropFirst(address.prefix.utf8.count))
        return rest.isEmpty ? nil : address.url(of: Self.encoded(rest))
    }

    /// Encodes every byte that AWS encodes before it signs, so that the signed and the sent path are the same.
    private static func encoded(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
