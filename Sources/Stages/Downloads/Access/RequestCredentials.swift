import HTTPClient
import Values

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
