package import Base
import HTTPClient
import Media

/// The secrets of one request: the header fields of its rule, and its signature for a bucket.
struct RequestCredentials: Sendable {
    var headerFields: [Secret<String>] = []
    var signature: SignatureV4?

    /// Reads the present secrets of a rule.
    init(_ access: SourceAccess, region: String?) throws(CredentialsError) {
        headerFields = access.headers.map { Secret($0.line) }
        guard let source = access.credentials, let region else { return }
        let credentials = try source.credentials()
        headerFields.append(Secret("X-Amz-Content-Sha256: \(SignatureV4.emptyHash)"))
        if let token = credentials.sessionToken {
            headerFields.append(Secret("X-Amz-Security-Token: \(token.revealed)"))
        }
        signature = SignatureV4(credentials, region: region)
    }
}

extension AccessRule {
    /// The present secrets of a request with the rule's access, or `nil` if the rule gives none.
    var credentials: RequestCredentials? {
        get throws(CredentialsError) {
            guard let access else { return nil }
            let region: String? = if case .objects(let bucket) = match { bucket.region } else { nil }
            return try RequestCredentials(access, region: region)
        }
    }
}

// MARK: - Header fields

/// A header field whose value is a secret, such as `Authorization`.
package struct SecretHeader: Sendable {
    /// The reason why a header field cannot be sent, for a person. It never has the value.
    package struct FieldError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package let name: String
    /// The value, which is replaced when its file changes.
    package let value: Replaceable<Secret<String>>

    /// The names, in lower case, of the fields that belong to the request itself. Another value would break the request,
    /// or lie about its range or its version.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range",
        "te",
        "trailer", "transfer-encoding", "upgrade",
    ]
    /// The names, in lower case, of the fields that a signed request has already.
    private static let signed: Set<String> = [
        "authorization", "date", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token",
    ]
    private static let valueByteLimit = 8192

    /// Creates a header field. `isSigned` tells whether its requests are signed for a bucket.
    package init(_ name: String, value: Secret<String>, isSigned: Bool = false) throws(FieldError) {
        let lowercased = name.lowercased()
        guard !name.isEmpty, name.utf8.count <= 256, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw FieldError("This is not a header's name. Write letters, digits and hyphens, such as Authorization.")
        }
        guard !Self.reserved.contains(lowercased), !lowercased.hasPrefix("proxy-") else {
            throw FieldError("attachd sets the header \(name) itself. Remove it from the rule.")
        }
        guard !isSigned || !Self.signed.contains(lowercased) else {
            throw FieldError("The signature for the bucket sets the header \(name). Remove it from the rule.")
        }
        self.name = name
        self.value = Replaceable(try Self.value(from: value))
    }

    /// Returns the value that `text` from a file, a variable or a setting stands for: without the white space around it.
    /// Throws if it would end the field.
    package static func value(from text: Secret<String>) throws(FieldError) -> Secret<String> {
        let isSpace: (Unicode.Scalar) -> Bool = { [" ", "\t", "\r", "\n"].contains($0) }
        let scalars = text.revealed.unicodeScalars
        var trimmed = scalars.drop(while: isSpace)
        while trimmed.last.map(isSpace) == true { trimmed.removeLast() }
        guard !trimmed.isEmpty else { throw FieldError("The header's value is empty.") }
        guard trimmed.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw FieldError("The header's value has a line break or another control character. Write it in one line.")
        }
        let value = String(trimmed)
        guard value.utf8.count <= valueByteLimit else {
            throw FieldError("The header's value is longer than \(valueByteLimit) bytes.")
        }
        return Secret(value)
    }

    /// The field as a line of a request.
    var line: String { "\(name): \(value.current.revealed)" }

    /// Returns whether a name may have the byte (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

// MARK: - Objects of buckets

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
