/// The address of a bucket of an S3-compatible store, and the prefix of its files.
package struct BucketAddress: Sendable, Equatable {
    /// The position of the bucket's name in a request's URL.
    package enum Style: String, Sendable, CaseIterable {
        /// The first component of the path: `https://endpoint/bucket/name`.
        case path
        /// The first label of the host: `https://bucket.endpoint/name`.
        case host
    }

    /// An invalid address. The description says what to write instead.
    package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let name: String
    /// The prefix of each object's name: empty, or ending with a slash.
    package let prefix: String
    package let region: String
    package let style: Style
    private let scheme: String
    /// The host and port of the store.
    package let authority: String

    /// Reads `text`, which is `s3://BUCKET` or `s3://BUCKET/PREFIX`. Without an endpoint, the bucket is at AWS, which
    /// has the bucket's name in the host. Other stores seldom have a host name for each bucket.
    package init(_ text: String, endpoint: String? = nil, region: String = "us-east-1", style: Style? = nil)
        throws(ParseError)
    {
        guard text.hasPrefix("s3://") else {
            throw ParseError(description: "\(Self.shown(text)) is not a bucket. Write it as s3://BUCKET/PREFIX.")
        }
        let parts = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var folders = Array(parts.dropFirst())
        if folders.last?.isEmpty == true { folders.removeLast() }
        guard let name = parts.first, Self.isBucketName(name) else {
            throw ParseError(
                description:
                    "\(Self.shown(text)) does not name a bucket. Its name has 3 to 63 lowercase letters, digits, dots and hyphens."
            )
        }
        guard folders.allSatisfy(Self.isFolderName) else {
            throw ParseError(
                description:
                    "\(Self.shown(text)) has an invalid prefix. Use letters, digits and - _ . between single slashes."
            )
        }
        guard !region.isEmpty, region.utf8.allSatisfy({ Self.isLowercaseLetterOrDigit($0) || $0 == 0x2D }) else {
            throw ParseError(description: "\"\(region)\" is not a region. Write it as eu-central-1.")
        }
        self.name = name
        self.region = region
        prefix = folders.map { "\($0)/" }.joined()
        (scheme, authority) = try Self.endpoint(endpoint ?? Self.endpointOfAWS(region))
        // A wildcard certificate does not cover a name with an additional dot.
        self.style = style ?? (endpoint == nil && !name.contains(".") ? .host : .path)
        guard self.style == .path || !Self.isNumeric(authority) else {
            throw ParseError(
                description: "\(authority) is an IP address, which cannot have subdomains. Use the style path."
            )
        }
    }

    /// Returns the URL of an object. It does not need escaping.
    package func url(of object: String) -> String {
        switch style {
        case .path: "\(scheme)://\(authority)/\(name)/\(prefix)\(object)"
        case .host: "\(scheme)://\(name).\(authority)/\(prefix)\(object)"
        }
    }

    /// Returns the endpoint of AWS in a region. China is a separate partition with its own domain.
    private static func endpointOfAWS(_ region: String) -> String {
        "https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
    }

    private static func endpoint(_ text: String) throws(ParseError) -> (scheme: String, authority: String) {
        for scheme in ["https", "http"] where text.hasPrefix("\(scheme)://") {
            let rest = text.dropFirst(scheme.count + 3)
            let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
            let isPlain = authority.utf8.allSatisfy { isNameByte($0) || $0 == 0x3A || $0 == 0x5B || $0 == 0x5D }
            if !authority.isEmpty, isPlain { return (scheme, String(authority)) }
        }
        throw ParseError(
            description:
                "\(shown(text)) is not an endpoint. Write it as https://s3.example.com or http://10.0.0.7:9000."
        )
    }

    /// Returns `text` for a message. Hides a text with a user, a query or a fragment, which may contain a secret.
    private static func shown(_ text: String) -> String {
        text.contains { "@?#".contains($0) } ? "This" : "\"\(text)\""
    }

    /// Returns whether a name follows the rules of AWS for general-purpose buckets.
    private static func isBucketName(_ name: String) -> Bool {
        guard (3...63).contains(name.utf8.count), !name.contains(".."), let first = name.utf8.first,
            let last = name.utf8.last
        else { return false }
        return isLowercaseLetterOrDigit(first) && isLowercaseLetterOrDigit(last)
            && name.utf8.allSatisfy { isLowercaseLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
    }

    /// Returns whether a name needs no escaping in a URL, so that the signed and the sent URL are the same.
    private static func isFolderName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.allSatisfy { isNameByte($0) || $0 == 0x5F }
    }

    /// Returns whether a byte is a letter, a digit, a hyphen or a dot.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLowercaseLetterOrDigit(byte) || (0x41...0x5A).contains(byte) || byte == 0x2D || byte == 0x2E
    }

    private static func isLowercaseLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func isNumeric(_ authority: String) -> Bool {
        authority.hasPrefix("[") || authority.utf8.allSatisfy { $0 == 0x2E || $0 == 0x3A || (0x30...0x39).contains($0) }
    }
}

extension BucketAddress: CustomStringConvertible {
    package var description: String { "s3://\(name)/\(prefix) at \(authority)" }
}

// MARK: - Errors of the store

/// The S3 error codes for which attachd gives advice. The store's own message is never shown.
package enum StoreErrorCode: String, CaseIterable {
    case accessDenied = "AccessDenied"
    case accountProblem = "AccountProblem"
    case authorizationHeaderMalformed = "AuthorizationHeaderMalformed"
    case badDigest = "BadDigest"
    case expiredToken = "ExpiredToken"
    case internalError = "InternalError"
    case invalidAccessKeyID = "InvalidAccessKeyId"
    case invalidToken = "InvalidToken"
    case noSuchBucket = "NoSuchBucket"
    case permanentRedirect = "PermanentRedirect"
    case quotaExceeded = "QuotaExceeded"
    case requestTimeout = "RequestTimeout"
    case requestTimeTooSkewed = "RequestTimeTooSkewed"
    case serviceUnavailable = "ServiceUnavailable"
    case signatureDoesNotMatch = "SignatureDoesNotMatch"
    case slowDown = "SlowDown"
    case temporaryRedirect = "TemporaryRedirect"

    /// Reads the code from the XML of an error.
    package init?(in body: [UInt8]) {
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        guard let start = text.firstRange(of: "<Code>"),
            let end = text[start.upperBound...].firstRange(of: "</Code>"),
            let code = StoreErrorCode(rawValue: String(text[start.upperBound..<end.lowerBound]))
        else { return nil }
        self = code
    }

    /// The advice for the operator, as a sentence.
    package var advice: String? {
        switch self {
        case .accessDenied: "Allow these credentials to add objects (s3:PutObject)."
        case .invalidAccessKeyID: "The store does not know this access key. Check the credentials."
        case .signatureDoesNotMatch:
            "The secret access key or the region is wrong. Check the credentials and --publish-region."
        case .expiredToken, .invalidToken: "The session token has expired or is wrong. Renew the credentials."
        case .requestTimeTooSkewed: "This machine's clock is wrong. Set it."
        case .noSuchBucket: "Create the bucket, or name another one with --publish."
        case .authorizationHeaderMalformed, .permanentRedirect, .temporaryRedirect:
            "The bucket is in another region or at another endpoint. Check --publish-region and --publish-endpoint."
        case .quotaExceeded: "The bucket is full. Remove objects, or raise its quota."
        case .accountProblem, .badDigest, .internalError, .requestTimeout, .serviceUnavailable, .slowDown: nil
        }
    }
}
