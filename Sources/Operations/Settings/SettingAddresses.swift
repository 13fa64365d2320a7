import Base
import Files
import Foundation
import HTTPClient
package import JobsRedis
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

// MARK: - The queue

/// The address of a queue: `sqlite:PATH`, or the URL of a Redis server or of the sentinels that know it.
package enum QueueAddress: Sendable, Equatable {
    case sqlite(path: String)
    case redis(RedisSettings)

    /// The beginnings of all addresses.
    static let beginnings = ["sqlite:", "redis://", "rediss://", "redis-sentinel://", "rediss-sentinel://"]

    /// The address for logs and listings, without user and password.
    package var withoutSecrets: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .redis(let settings): settings.withoutSecrets
        }
    }

    /// Parses `text`. The error says which forms are possible.
    fileprivate init(_ text: String, authoritiesFile: String?) throws(SettingsError) {
        let scheme = text.prefix { $0 != ":" }
        switch scheme {
        case "sqlite" where text.count > "sqlite:".count:
            self = .sqlite(path: AbsolutePath.of(String(text.dropFirst("sqlite:".count))))
        case "redis", "rediss", "redis-sentinel", "rediss-sentinel":
            do {
                var settings = try RedisSettings(url: text)
                settings.authoritiesFile = authoritiesFile
                self = .redis(settings)
            } catch {
                throw Settings.table.queue.refusal("\(error)")
            }
        default:
            throw Settings.table.queue.refusal(
                "Write it as sqlite:PATH, redis://HOST:PORT, rediss://HOST:PORT or redis-sentinel://HOST:PORT,HOST:PORT/NAME."
            )
        }
    }
}

extension SettingType<QueueAddress> {
    static let queue = Self(words: QueueAddress.beginnings, isSecret: true) { text, _, reader throws(SettingsError) in
        try QueueAddress(text, authoritiesFile: try reader.caFile)
    }
}
