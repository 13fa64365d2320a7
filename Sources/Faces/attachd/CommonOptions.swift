import App
import ArgumentParser

/// The options that every command has; each is also a variable and a key of the configuration file.
struct CommonOptions: ParsableArguments {
    @Option(help: "Read settings from a YAML or JSON file.")
    var config: String?
    @Option(
        help: "What attachments become: apns, fcm, webpush, or a profile of the configuration file. (default: apns)"
    )
    var profile: String?
    @Option(help: "How long a notification may take, such as 800ms or 20s. (default: 25s)")
    var deadline: String?
    @Option(help: "The folder for everything that is written. (default: below the user's state directory)")
    var store: String?
    @Option(
        help:
            "Where phones reach the sidecar, or the bucket, such as https://push.example.com. (default: none; file: URLs)"
    )
    var publicUrl: String?
    @Option(help: "Publish ready files in this bucket, such as s3://media/pushes. (default: none)")
    var publish: String?
    @Option(help: "The S3-compatible store that has it, such as https://s3.example.com. (default: AWS)")
    var publishEndpoint: String?
    @Option(help: "The bucket's region. (default: AWS_REGION, else us-east-1)")
    var publishRegion: String?
    @Option(help: "path or host: where a request names the bucket. (default: host for AWS, else path)")
    var publishStyle: String?
    @Option(help: "Read AWS credentials from this file. (default: the variables AWS_ACCESS_KEY_ID and so on)")
    var publishCredentials: String?
    @Option(help: "Sign URLs with the key in this file; two lines while keys change. (default: the store's own)")
    var signingKey: String?
    @Flag(help: "Accept files of keys, tokens and credentials that their group can read.")
    var groupReadableKeys = false
    @Option(help: "How long ready files stay. (default: 24h)")
    var keep: String?
    @Option(help: "How much place ready files may take, such as 500MB; the oldest make way. (default: 10GB)")
    var quota: String?
    @Option(help: "How long what was made serves others, where origins don't say; 0 for not at all. (default: 60s)")
    var reuse: String?
    @Option(help: "Fetch from this address block too; may be repeated. (default: public addresses only)")
    var allowAddress: [String] = []
    @Option(help: "Trust the certificate authorities in this file too.")
    var caFile: String?
    @Option(help: "How many decoder processes work at once. (default: the number of cores)")
    var decoders: Int?
    @Flag(help: "Refuse to work when a layer of the sandbox is missing.")
    var requireSandbox = false
    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?
    @Option(help: "text or json. (default: text on a terminal, else json)")
    var logFormat: String?

    /// Reads all settings: these options over the environment over the configuration file.
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
