package import Downloads
package import HTTPClient
package import Files
package import Logging
package import Media
package import Payloads
package import Preview
package import Processing
package import Publishing
package import Storage
package import Telemetry
package import Values

/// The settings of a process, read and checked once at the start.
package struct Settings: Sendable {
    /// The known dialects, those of the configuration file first.
    package var dialects = Dialect.builtIn
    package var profiles = Profile.builtIn
    /// The profile of attachments for which nothing else selects one.
    package var profile = Profile.apns
    package var deadline: Duration = .seconds(25)
    /// The time limit of one file in a batch. Nobody waits for it, so the default is the longest possible deadline.
    package var fileDeadline = NotificationService.longestTimeLimit
    /// The path of the folder that contains all of attachd's files.
    package var store: String
    package var host = "127.0.0.1"
    package var port = 8080
    /// The address of a second server, for metrics and health checks only.
    package var metricsAddress: HostAndPort?
    package var apiToken: Secret<String>?
    /// The file of the API token. It is read again when it changes.
    package var apiTokenFile: SecretFile?
    /// The addresses that may be fetched from in addition to public ones.
    package var allowedAddresses: [CIDR] = []
    /// The number of decoder processes that work at the same time.
    package var decoders: Int
    package var requiresSandbox = false
    /// The formats and codecs that are never decoded.
    package var disabledFormats = DisabledFormats()
    /// The path of the configuration file; `nil` if there is none.
    package var configurationFile: String?
    /// Reads `disabledFormats` again, from the same sources.
    package var rereadDisabledFormats: (@Sendable () throws -> DisabledFormats)?
    /// The number of notifications that are processed at the same time.
    package var requests = 256
    package var queue: QueueAddress
    /// The most jobs that may wait or run in the queue. More are refused.
    package var backlog = 100_000
    /// The percentage of the backlog, and of concurrent notifications, that one named tenant may have.
    package var tenantShare = 50
    /// The tenants of the configuration file, by their names.
    package var tenants: [String: TenantSettings] = [:]
    /// The time from the decision for a new worker to its first job.
    package var workerStart: Duration = .seconds(20)
    /// A Boolean value that indicates whether this process works on the queue's jobs.
    package var hasWorker = true
    /// A Boolean value that indicates whether a queue server that can lose jobs is an error instead of a warning.
    package var isStrict = false
    /// The path of a file of certificate authorities that are trusted in addition to the system's.
    package var caFile: String?
    /// The bucket that ready files are published to; `nil` for none.
    package var publishing: PublishingSettings?
    /// The base URL at which phones reach this sidecar or the bucket's files.
    package var publicURL: String?
    /// A Boolean value that indicates whether the sidecar writes `file:` URLs into payloads when it has no public URL.
    package var hasFileURLs = false
    /// The keys that sign URLs, if not the store's own keys.
    package var signingKeys: SigningKeys?
    /// The file of the signing keys. It is read again when it changes.
    package var signingKeyFile: SecretFile?
    /// A Boolean value that indicates whether a file with keys, tokens, or credentials may be readable by its group, as
    /// Kubernetes mounts them.
    package var hasGroupReadableKeys = false
    /// The lifetime of ready files, and the disk space for them.
    package var retention = Retention()
    /// The longest time for which an attachment can be ready ahead of time. A bucket's files are published again well
    /// before `keep` ends.
    package var longestHold: Duration { publishing == nil ? retention.keep : retention.keep / 2 }
    /// The rule for sharing attachments between notifications.
    package var reuse = ReuseRule()
    /// The access to sources that need a key.
    package var access = AccessTable()
    /// The files that the access is read from. They are read again when they change.
    package var sourceSecrets: [SourceSecret] = []
    /// A Boolean value that indicates whether the sidecar shows notifications in the browser.
    package var hasPreview = true
    /// The notification categories and their actions, for the preview.
    package var categories: [NotificationCategory] = []
    /// The URL of the operator's server that receives responses to notifications.
    package var responseWebhook: String?
    package var logLevel = Logger.Level.info
    package var logFormat: LogFormat
    /// One of this many finished notifications is logged.
    package var logSample = 1
    /// The variables of the environment that are probably misspelled settings.
    package var unknownVariables: [UnknownVariable] = []
}

extension Settings {
    /// The number of jobs that a worker processes at the same time. Most of them wait for their downloads, and decoding
    /// has its own limit.
    package var jobSlots: Int { decoders * 32 }
}

/// The error of an invalid setting: its key, and what to write instead.
package struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package var key: String
    package var reason: String

    package var description: String { "Configuration: \(key): \(reason)" }
}
