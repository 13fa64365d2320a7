import Files
import Media
import Publishing
import Values

extension SettingsValues {
    /// Returns the bucket that files are published to; `nil` if the settings name none.
    ///
    /// Credentials are never options: they come from AWS's environment variables or from a file.
    func publishing(
        _ environment: [String: String],
        authoritiesFile: String?,
        hasGroupReadableKeys: Bool,
    ) throws(SettingsError) -> PublishingSettings? {
        let endpoint = try text(.publishEndpoint)
        let region = try text(.publishRegion) ?? Self.value("AWS_REGION", environment)
        let style: BucketAddress.Style? = try choice(.publishStyle)
        let file = try secretFile(.publishCredentialsFile, isGroupReadable: hasGroupReadableKeys)
        guard let bucket = try text(.publish) else { return nil }
        let address: BucketAddress
        do throws(BucketAddress.ParseError) {
            address = try BucketAddress(bucket, endpoint: endpoint, region: region ?? "us-east-1", style: style)
        } catch {
            throw SettingsError(key: SettingsKey.publish.rawValue, reason: error.description)
        }
        return PublishingSettings(
            address: address,
            credentials: try Self.credentials(file, environment),
            authoritiesFile: authoritiesFile,
        )
    }

    private static func credentials(
        _ file: SecretFile?,
        _ environment: [String: String],
    ) throws(SettingsError) -> CredentialsSource {
        if let file {
            _ = try reading(.publishCredentialsFile) { () throws(FileError) in try file.read() }
            return .file(file, profile: value("AWS_PROFILE", environment) ?? "default")
        }
        guard let id = value("AWS_ACCESS_KEY_ID", environment), let secret = value("AWS_SECRET_ACCESS_KEY", environment)
        else {
            let reason =
                "The bucket needs credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a "
                + "credentials file in AWS's format with --publish-credentials."
            throw SettingsError(key: SettingsKey.publishCredentialsFile.rawValue, reason: reason)
        }
        let token = value("AWS_SESSION_TOKEN", environment).map { Secret($0) }
        return .fixed(BucketCredentials(accessKeyID: id, secretAccessKey: Secret(secret), sessionToken: token))
    }

    /// Returns the variable's value. An empty variable counts as unset.
    private static func value(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
