/// Who puts files into a bucket.
package struct BucketCredentials: Sendable, Equatable {
    package var accessKeyID: String
    package var secretAccessKey: String
    /// Of credentials that are lent for some hours.
    package var sessionToken: String?

    package init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads the section `profile` of a credentials file as AWS's tools have it; `nil` if it has no whole credentials.
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
        self.init(accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension BucketCredentials: CustomStringConvertible, CustomReflectable {
    /// The secrets stay out of every text.
    package var description: String { "access key \(accessKeyID)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
