package import Values

/// The credentials for a bucket.
package struct BucketCredentials: Sendable, Equatable {
    package var accessKeyID: String
    package var secretAccessKey: Secret<String>
    /// The session token of temporary credentials.
    package var sessionToken: Secret<String>?

    package init(accessKeyID: String, secretAccessKey: Secret<String>, sessionToken: Secret<String>? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads the section `profile` of a credentials file in the format of AWS's tools. Returns `nil` if it does not
    /// have complete credentials.
    package init?(file: String, profile: String) {
        var values: [String: String] = [:]
        var isWanted = false
        for line in file.split(whereSeparator: \.isNewline).map(Self.trimmed) where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                isWanted = Self.trimmed(line.dropFirst().dropLast()) == profile
            } else if isWanted, let sign = line.firstIndex(of: "=") {
                values[String(Self.trimmed(line[..<sign]))] = String(Self.trimmed(line[line.index(after: sign)...]))
            }
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"], !id.isEmpty,
            !secret.isEmpty
        else { return nil }
        let token = values["aws_session_token"].map { Secret($0) }
        self.init(accessKeyID: id, secretAccessKey: Secret(secret), sessionToken: token)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
