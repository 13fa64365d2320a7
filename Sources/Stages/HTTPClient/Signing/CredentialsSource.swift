package import Files

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
