import HTTPClient
import Files
import Foundation
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
        let region = try bucketRegion(environment)
        let style: BucketAddress.Style? = try choice(.publishStyle)
        guard let bucket = try text(.publish) else { return nil }
        let address: BucketAddress
        do throws(BucketAddress.ParseError) {
            address = try BucketAddress(bucket, endpoint: endpoint, region: region, style: style)
        } catch {
            throw SettingsError(key: SettingsKey.publish.rawValue, reason: error.description)
        }
        return PublishingSettings(
            address: address,
            credentials: try credentials(environment, isGroupReadable: hasGroupReadableKeys),
            authoritiesFile: authoritiesFile,
        )
    }

    /// Returns the things outside a rule of `sources` that it needs.
    func sourceContext(
        _ folder: URL,
        _ environment: Secret<[String: String]>,
        isGroupReadable: Bool,
    ) throws(SettingsError) -> SourceContext {
        SourceContext(
            folder: folder,
            environment: environment,
            isGroupReadable: isGroupReadable,
            region: try bucketRegion(environment.revealed),
        ) { () throws(SettingsError) in
            try credentials(environment.revealed, isGroupReadable: isGroupReadable)
        }
    }

    private func bucketRegion(_ environment: [String: String]) throws(SettingsError) -> String {
        try text(.publishRegion) ?? Self.value("AWS_REGION", environment) ?? "us-east-1"
    }

    private func credentials(
        _ environment: [String: String],
        isGroupReadable: Bool,
    ) throws(SettingsError) -> CredentialsSource {
        if let file = try secretFile(.publishCredentialsFile, isGroupReadable: isGroupReadable) {
            _ = try Self.reading(.publishCredentialsFile) { () throws(FileError) in try file.read() }
            return .file(file, profile: Self.value("AWS_PROFILE", environment) ?? "default")
        }
        guard let id = Self.value("AWS_ACCESS_KEY_ID", environment),
            let secret = Self.value("AWS_SECRET_ACCESS_KEY", environment)
        else {
            let reason =
                "The bucket needs credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a "
                + "credentials file in AWS's format with --publish-credentials."
            throw SettingsError(key: SettingsKey.publishCredentialsFile.rawValue, reason: reason)
        }
        let token = Self.value("AWS_SESSION_TOKEN", environment).map { Secret($0) }
        return .fixed(BucketCredentials(accessKeyID: id, secretAccessKey: Secret(secret), sessionToken: token))
    }

    /// Returns the variable's value. An empty variable counts as unset.
    private static func value(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
