import Base
import Files
import FoundationEssentials
import HTTPClient
import Storage

// MARK: - Publishing

extension SettingsReader {
    /// Returns the bucket that files are published to; `nil` if the settings name none.
    ///
    /// Credentials are never options: they come from AWS's environment variables or from a file.
    func publishing() throws(SettingsError) -> PublishingSettings? {
        guard let bucket = try self.publish else { return nil }
        let (endpoint, region, style) = (try self.publishEndpoint, try self.publishRegion, try self.publishStyle)
        let key = Settings.table.publish.key
        let address = try SettingsError.checking(key) { () throws(BucketAddress.ParseError) in
            try BucketAddress(bucket, endpoint: endpoint, region: region, style: style)
        }
        return PublishingSettings(address: address, credentials: try credentials(), authoritiesFile: try self.caFile)
    }

    /// Returns the things outside a rule of `sources` that it needs.
    func sourceContext(_ folder: URL) throws(SettingsError) -> SourceContext {
        SourceContext(
            folder: folder,
            environment: source.environment,
            isGroupReadable: try self.hasGroupReadableKeys,
            region: try self.publishRegion,
            credentials: credentials,
        )
    }

    private func credentials() throws(SettingsError) -> CredentialsSource {
        if let file = try self.publishCredentialsFile {
            _ = try Settings.table.publishCredentialsFile.reading { () throws(FileError) in try file.read() }
            return .file(file, profile: source.variable("AWS_PROFILE") ?? "default")
        }
        guard let id = source.variable("AWS_ACCESS_KEY_ID"),
            let secret = source.variable("AWS_SECRET_ACCESS_KEY")
        else {
            throw Settings.table.publishCredentialsFile.refusal(
                "The bucket needs credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a "
                    + "credentials file in AWS's format with --publish-credentials-file."
            )
        }
        let token = source.variable("AWS_SESSION_TOKEN").map { Secret($0) }
        return .fixed(BucketCredentials(accessKeyID: id, secretAccessKey: Secret(secret), sessionToken: token))
    }
}
