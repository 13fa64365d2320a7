import App
import ArgumentParser

/// The options of all commands. Each is also an environment variable and a key of the configuration file.
struct CommonOptions: ParsableArguments {
    @Option(help: "Read settings from a YAML or JSON file.")
    var config: String?
    @Option(
        help: "The profile of attachments: apns, fcm, webpush, or a profile of the configuration file. (default: apns)"
    )
    var profile: String?
    @Option(help: "The deadline of a notification, such as 800ms or 20s. (default: 25s)")
    var deadline: String?
    @Option(help: "The folder for all files that attachd writes. (default: below the user's state directory)")
    var store: String?
    @Option(
        help:
            "The URL of the sidecar or the bucket for phones, such as https://push.example.com. (default: none; file: URLs)"
    )
    var publicUrl: String?
    @Option(help: "Publish ready files to this bucket, such as s3://media/pushes. (default: none)")
    var publish: String?
    @Option(help: "The S3-compatible store of the bucket, such as https://s3.example.com. (default: AWS)")
    var publishEndpoint: String?
    @Option(help: "The bucket's region. (default: AWS_REGION, else us-east-1)")
    var publishRegion: String?
    @Option(help: "The position of the bucket's name in request URLs: path or host. (default: host for AWS, else path)")
    var publishStyle: String?
    @Option(help: "Read AWS credentials from this file. (default: the variables AWS_ACCESS_KEY_ID and so on)")
    var publishCredentials: String?
    @Option(
        help: "Sign URLs with the key in this file, with two lines during a change of keys. (default: the store's own)"
    )
    var signingKey: String?
    @Flag(help: "Accept files with keys, tokens and credentials that are readable by their group.")
    var groupReadableKeys = false
    @Option(help: "The time for which ready files are kept. (default: 24h)")
    var keep: String?
    @Option(
        help: "Disk space for ready files, such as 500MB. Beyond it, the oldest files are removed. (default: 10GB)"
    )
    var quota: String?
    @Option(
        help: "The time for which attachments without a lifetime are reused; 0 turns reuse off. (default: 60s)"
    )
    var reuse: String?
    @Option(help: "Also fetch from this address block; may be repeated. (default: public addresses only)")
    var allowAddress: [String] = []
    @Option(help: "Also trust the certificate authorities in this file.")
    var caFile: String?
    @Option(help: "The number of decoder processes. (default: the number of cores)")
    var decoders: Int?
    @Flag(help: "Refuse to work if a layer of the sandbox is missing.")
    var requireSandbox = false
    @Option(
        help: "The least severe level to log: trace, debug, info, notice, warning, error or critical. (default: info)"
    )
    var logLevel: String?
    @Option(help: "The format of log lines: text or json. (default: text on a terminal, else json)")
    var logFormat: String?

    /// Reads all settings. Options override environment variables, which override the configuration file.
    func settings(_ more: [SettingsKey: SettingsSource.Option] = [:]) async throws -> Settings {
        var options = more
        options[.profile] = profile.map { .text($0) }
        options[.deadline] = deadline.map { .text($0) }
        options[.store] = store.map { .text($0) }
        options[.publicURL] = publicUrl.map { .text($0) }
        options[.publish] = publish.map { .text($0) }
        options[.publishEndpoint] = publishEndpoint.map { .text($0) }
        options[.publishRegion] = publishRegion.map { .text($0) }
        options[.publishStyle] = publishStyle.map { .text($0) }
        options[.publishCredentialsFile] = publishCredentials.map { .text($0) }
        options[.signingKeyFile] = signingKey.map { .text($0) }
        options[.keep] = keep.map { .text($0) }
        options[.quota] = quota.map { .text($0) }
        options[.reuse] = reuse.map { .text($0) }
        options[.caFile] = caFile.map { .text($0) }
        options[.logLevel] = logLevel.map { .text($0) }
        options[.logFormat] = logFormat.map { .text($0) }
        options[.decoders] = decoders.map { .number($0) }
        if !allowAddress.isEmpty { options[.allowAddresses] = .texts(allowAddress) }
        if groupReadableKeys { options[.groupReadableKeys] = .flag(true) }
        if requireSandbox { options[.requireSandbox] = .flag(true) }
        do {
            return try await Settings(reading: SettingsSource(options: options, configurationFile: config))
        } catch {
            throw CommandError(.badConfiguration, "\(error)")
        }
    }
}
