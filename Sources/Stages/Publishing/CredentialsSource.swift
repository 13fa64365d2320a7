package import Media
package import Storage

/// Where credentials come from each time that they are needed.
package enum CredentialsSource: Sendable, Equatable {
    case fixed(BucketCredentials)
    /// A file as AWS's tools have it, with one section for each profile. Read anew for each use: whoever lends
    /// credentials for some hours replaces them there.
    case file(SecretFile, profile: String)

    /// Throws what is wrong with the file.
    package func credentials() throws(AttachmentFailure) -> BucketCredentials {
        switch self {
        case .fixed(let credentials): return credentials
        case .file(let file, let profile):
            let text: String
            do throws(StoreError) {
                text = try file.read().text
            } catch {
                throw AttachmentFailure(.store, .publishFailed, "\(error)")
            }
            guard let credentials = BucketCredentials(file: text, profile: profile) else {
                let message =
                    "The credentials file \(file.path) has no access key and secret in its section [\(profile)]."
                throw AttachmentFailure(.store, .publishFailed, message)
            }
            return credentials
        }
    }
}
