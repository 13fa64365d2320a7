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
