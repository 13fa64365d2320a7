package import Downloads
package import Logging
package import Media
package import Payloads
package import Preview
package import Processing
package import Publishing
package import Storage
package import Values

/// What the program was told: read once at start, checked, and passed on as values.
package struct Settings: Sendable {
    package enum LogFormat: String, Sendable, CaseIterable {
        case text, json
    }

    /// Those of the configuration file first.
    package var dialects = Dialect.builtIn
    package var profiles = Profile.builtIn
    /// The profile of attachments for which nothing else chooses one.
    package var profile = Profile.apns
    package var deadline: Duration = .seconds(25)
    /// How long one file of a batch may take, for which nobody waits: the longest there is, unless a deadline was given.
    package var fileDeadline = NotificationService.longestTimeLimit
    /// The folder that everything is written below.
    package var store: String
    package var host = "127.0.0.1"
    package var port = 8080
    package var apiToken: Secret<String>?
    /// The file that the token is from, which is read anew when it changes.
    package var apiTokenFile: SecretFile?
    /// What may be fetched from beside public addresses.
    package var allowedAddresses: [CIDR] = []
    /// How many decoder processes work at once.
    package var decoders: Int
    package var requiresSandbox = false
    /// How many notifications are worked on at once.
    package var requests = 256
    package var queue: QueueAddress
    /// How many jobs may wait or be worked on; one more is refused.
    package var backlog = 100_000
    /// Whether a queue's server that may lose jobs is refused, instead of warned of.
    package var isStrict = false
    /// A file of certificate authorities that are trusted beside the system's.
    package var caFile: String?
    /// The bucket that ready files are published in, if they are.
    package var publishing: PublishingSettings?
    /// Where phones reach this sidecar, or what is published in the bucket. Without it, attachments get `file:` URLs.
    package var publicURL: String?
    /// What URLs are signed with, if not with the store's own keys.
    package var signingKeys: SigningKeys?
    /// The file that these keys are from, which is read anew when it changes.
    package var signingKeyFile: SecretFile?
    /// Whether files of keys, tokens and credentials may be readable for their group, as Kubernetes mounts them.
    package var hasGroupReadableKeys = false
    /// How long ready files stay, and how much place they may take.
    package var retention = Retention()
    /// For how long what was made serves others too, and of which sources.
    package var reuse = ReuseRule()
    /// Whether the sidecar shows notifications in the browser.
    package var hasPreview = true
    /// What notifications' actions are, by their category.
    package var categories: [NotificationCategory] = []
    /// The operator's own server, which is told what people do with notifications.
    package var responseWebhook: String?
    package var logLevel = Logger.Level.info
    package var logFormat: LogFormat
}

/// A setting that makes no sense, with where it came from and what to write instead.
package struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package var key: String
    package var reason: String

    package var description: String { "Configuration: \(key): \(reason)" }
}
