/// The codes of S3's errors for which there is something to do. A store's own words are shown to nobody.
enum StoreErrorCode: String, CaseIterable {
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

    /// Finds the code in an error's XML.
    init?(in body: [UInt8]) {
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        guard let start = text.firstRange(of: "<Code>"),
            let end = text[start.upperBound...].firstRange(of: "</Code>"),
            let code = StoreErrorCode(rawValue: String(text[start.upperBound..<end.lowerBound]))
        else { return nil }
        self = code
    }

    /// What to do, as a sentence.
    var advice: String? {
        switch self {
        case .accessDenied: "Give these credentials the right to put objects there (s3:PutObject)."
        case .invalidAccessKeyID: "The store doesn't know this access key: see the credentials."
        case .signatureDoesNotMatch:
            "The secret access key or the region is wrong: see the credentials and --publish-region."
        case .expiredToken, .invalidToken: "The session token has expired or is wrong: renew the credentials."
        case .requestTimeTooSkewed: "This machine's clock is wrong."
        case .noSuchBucket: "Make the bucket, or name another with --publish."
        case .authorizationHeaderMalformed, .permanentRedirect, .temporaryRedirect:
            "The bucket is elsewhere: see --publish-region and --publish-endpoint."
        case .quotaExceeded: "The bucket is full."
        case .accountProblem, .badDigest, .internalError, .requestTimeout, .serviceUnavailable, .slowDown: nil
        }
    }
}
