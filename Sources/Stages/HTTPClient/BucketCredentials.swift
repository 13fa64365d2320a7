package import Base
package import Files

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

// MARK: - Sources

/// The source of credentials. It is read each time that they are needed.
package enum CredentialsSource: Sendable, Equatable {
    case fixed(BucketCredentials)
    /// A file in the format of AWS's tools, with one section for each profile. It is read for each use, because a
    /// provider of temporary credentials replaces them in the file.
    case file(SecretFile, profile: String)

    /// Returns the current credentials. Throws an error that describes a problem of the file.
    package func credentials() throws(CredentialsError) -> BucketCredentials {
        switch self {
        case .fixed(let credentials): return credentials
        case .file(let file, let profile):
            let text: String
            do throws(FileError) {
                text = try file.read()
            } catch {
                throw CredentialsError(description: "\(error)")
            }
            guard let credentials = BucketCredentials(file: text, profile: profile) else {
                let message =
                    "The credentials file \(file.path) has no access key and secret in its section [\(profile)]."
                throw CredentialsError(description: message)
            }
            return credentials
        }
    }
}

/// The reason why there are no credentials for a bucket, for the operator.
package struct CredentialsError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
}

/// A certificate and its key, both in PEM form, with which attachd proves to an origin who asks.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, and the intermediate certificates of its chain.
    package var chain: String
    package var key: Secret<String>

    package init(chain: String, key: Secret<String>) {
        self.chain = chain
        self.key = key
    }
}

// MARK: - Signatures

/// The parameters of AWS's Signature Version 4, which S3-compatible stores share. libcurl makes the signature.
///
/// libcurl 7.88 signs the header fields of a message and the path of the URL unchanged, so both must have the form in
/// which they are sent. The message's `x-amz-content-sha256` must be the SHA-256 of the body, and its
/// `x-amz-security-token` the session token.
package struct SignatureV4: Sendable {
    package var region: String
    package var service: String
    package var accessKeyID: String
    package var secretAccessKey: Secret<String>

    package init(region: String, service: String = "s3", accessKeyID: String, secretAccessKey: Secret<String>) {
        self.region = region
        self.service = service
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
    }

    /// The value of `CURLOPT_AWS_SIGV4`.
    var scope: String { "aws:amz:\(region):\(service)" }
}

extension SignatureV4 {
    /// The SHA-256 of an empty body.
    package static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// Creates the parameters of a signature for S3 with `credentials`.
    package init(_ credentials: BucketCredentials, region: String) {
        self.init(
            region: region,
            accessKeyID: credentials.accessKeyID,
            secretAccessKey: credentials.secretAccessKey,
        )
    }
}
