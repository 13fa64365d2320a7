package import Values

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
