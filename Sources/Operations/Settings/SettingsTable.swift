package import Base
package import Files
import Glibc
package import HTTPClient
package import Logging
package import Media
package import Observability
import Processing
package import Storage

/// All settings that are options, in the order of help texts and listings.
///
/// A declaration is all that a setting needs to be an option, a variable and a key, with its default, its check, its help
/// text and its line in `docs/configuration.md`. `Settings` has its value as a property of the same name.
package struct SettingsTable: Sendable {
    package let profileName = Setting("profile", .text(words: Profile.builtIn.map(\.name)), default: Profile.apns.name)
        .help("The profile of attachments: apns, fcm, webpush, or a profile of the configuration file.")

    package let deadline = Setting(
        "deadline",
        .duration(upTo: NotificationService.longestTimeLimit),
        default: .seconds(25)
    )
    .help("The deadline of a notification, such as 800ms or 20s.")

    /// The path of the folder that contains all of attachd's files: below the user's state folder (XDG Base Directory
    /// Specification), or the system's.
    package let store = Setting("store", .folder, default: "below the user's state directory") { reader in
        let environment = reader.source.environment.revealed
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return AbsolutePath.of("\(state)/attachd")
        }
        if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
            return AbsolutePath.of("\(home)/.local/state/attachd")
        }
        return "/var/lib/attachd"
    }
    .help("The folder for all files that attachd writes.")

    /// The base URL at which phones reach this sidecar or the bucket's files.
    package let publicURL = Setting(
        "publicUrl",
        .publicURL(example: "https://push.example.com"),
        missing: "none; payloads keep the sender's URLs"
    )
    .help("The URL of the sidecar or the bucket for phones, such as https://push.example.com.")

    package let hasFileURLs = Setting("fileUrls", .flag(), in: .server, default: false)
        .help(
            "Without a public URL, write file: URLs into payloads, for a gateway on this machine that publishes the files."
        )

    package let publish = Setting("publish", .text(), missing: "none")
        .help("Publish ready files to this bucket, such as s3://media/pushes.")

    package let publishEndpoint = Setting("publishEndpoint", .text(), missing: "AWS")
        .help("The S3-compatible store of the bucket, such as https://s3.example.com.")

    package let publishRegion = Setting(
        "publishRegion",
        .text(),
        default: "AWS_REGION, else us-east-1"
    ) { reader in reader.source.variable("AWS_REGION") ?? "us-east-1" }
    .help("The bucket's region.")

    package let publishStyle = Setting(
        "publishStyle",
        SettingType<BucketAddress.Style>.choice,
        missing: "host for AWS, else path"
    )
    .help("The position of the bucket's name in request URLs: path or host.")

    package let publishCredentialsFile = Setting(
        "publishCredentialsFile",
        .secretFile,
        missing: "the variables AWS_ACCESS_KEY_ID and so on"
    )
    .help("Read AWS credentials from this file.")

    package let signingKeyFile = Setting("signingKeyFile", .secretFile, missing: "the store's own")
        .help(
            "Sign URLs with the key in this file. During a change of keys, it has two lines: the new key and the old one."
        )

    /// A Boolean value that indicates whether a file with keys, tokens, or credentials may be readable by its group, as
    /// Kubernetes mounts them.
    package let hasGroupReadableKeys = Setting("groupReadableKeys", .flag(), default: false)
        .help("Accept files with keys, tokens and credentials that their group can read.")

    package let keep = Setting("keep", .duration(upTo: .seconds(365 * 24 * 3600)), default: Retention().keep)
        .help("How long to keep ready files.")

    package let storeGroup = Setting("storeGroup", .group)
        .help("Let this group read the ready files, for a server that sends them itself.")

    package let quota = Setting("quota", .size, default: Retention().quota)
        .help("Disk space for ready files, such as 500MB. Beyond it, the oldest files are removed.")

    package let reuseTime = Setting(
        "reuse",
        .duration(from: .zero, upTo: .seconds(24 * 3600)),
        default: ReuseRule().floor
    )
    .help("How long to reuse attachments whose origin sets no lifetime; 0 turns off reuse.")

    /// The addresses that may be fetched from in addition to public ones.
    package let allowedAddresses = Setting(
        "allowAddresses",
        option: "--allow-address",
        .addressBlocks,
        default: [],
        note: "public addresses only"
    )
    .help("Also fetch from this address block; may be repeated.")

    package let caFile = Setting("caFile", .readableFile)
        .help("Also trust the certificate authorities in this file.")

    package let contact = Setting("contact", .contact, missing: "none")
        .help("Tell origins in the User-Agent whom to ask about requests: an https URL or a mail address.")

    package let decoders = Setting("decoders", .number(in: 1...256), default: "the number of cores") {
        _ in MachineLimits.ofThisProcess.processorCount
    }
    .help("The number of decoder processes.")

    package let requiresSandbox = Setting("requireSandbox", .flag(), default: false)
        .help("Refuse to work if a layer of the sandbox is missing.")

    package let disabledFormats = Setting(
        "formats.disabled",
        option: "--disable-format",
        .formats,
        default: DisabledFormats(),
        note: "none"
    )
    .help("Never decode this input format or codec, such as heic or hevc; may be repeated.")

    package let logLevel = Setting("logLevel", .choice, default: Logger.Level.info)
        .help("The least severe level to log: trace, debug, info, notice, warning, error or critical.")

    package let logFormat = Setting("logFormat", .choice, default: "text on a terminal, else json") {
        _ in isatty(STDERR_FILENO) == 1 ? LogFormat.text : .json
    }
    .help("The format of log lines: text or json.")

    package let logSample = Setting("logSample", .number(in: 1...1_000_000), default: 1, note: "which logs all")
        .help("Log one of this many finished notifications.")

    package let listen = Setting("listen", .address, in: .server, default: HostAndPort(host: "127.0.0.1", port: 8080))
        .help("The HOST:PORT to listen on. Port 0 chooses a free port.")

    package let metricsAddress = Setting("metricsListen", .address, in: .server, missing: "none")
        .help(
            "Serve only metrics and health checks at this HOST:PORT, and no metrics at --listen."
        )

    package let apiTokenFile = Setting("apiTokenFile", .secretFile, in: .server)
        .help("Require the token in this file from clients: \"Authorization: Bearer …\".")

    package let handover = Setting("accelRedirect", .handover, in: .server)
        .help("Have the server in front send ready files: nginx:/PREFIX, or sendfile for X-Sendfile.")

    package let requests = Setting("requests", .number(in: 1...65_536), in: .server, default: 256)
        .help("The maximum number of concurrent notifications. Further requests get status 429.")

    package let drainTime = Setting(
        "drain",
        .duration(from: .zero, upTo: .seconds(10)),
        in: .server,
        default: .seconds(5)
    )
    .help("How long to accept requests after SIGTERM, while balancers learn from /readyz that attachd ends.")

    package let queue = Setting("queue", .queue, in: .queue, default: "a file in the store") {
        reader throws(SettingsError) in QueueEngines.queue(inStore: try reader.store)
    }
    .help("The queue: \(QueueEngines.forms).")

    package let backlog = Setting("backlog", .number(in: 1...10_000_000), in: .queue, default: 100_000)
        .help("The maximum number of jobs in the queue. Further jobs are refused.")

    package let backlogBytes = Setting("backlogBytes", .size, in: .queue, default: 500_000_000)
        .help("The maximum size of the payloads of all jobs in the queue, such as 500MB. Further jobs are refused.")

    package let tenantShare = Setting("tenantShare", .number(in: 1...100), in: .queue, default: 50)
        .help("The percentage of the backlog and of concurrent notifications that one named tenant may use.")

    package let workerStart = Setting("workerStart", .duration(upTo: .seconds(3600)), in: .queue, default: .seconds(20))
        .help("The time that a new worker needs until its first job. /v1/scale considers it.")

    package let isStrict = Setting("strict", .flag(), in: .queue, default: false)
        .help(
            "Refuse a Redis that may lose jobs, and a fleet with another signing key, instead of logging a warning. With redis-sentinel://, acknowledge a change only when the replicas have it."
        )

    package let hasPreview = Setting("preview", option: "--no-preview", .flag(false), in: .preview, default: true)
        .help("Turn off the preview at /preview.")

    package let responseWebhook = Setting(
        "responseWebhook",
        .publicURL(example: "http://127.0.0.1:8098/responses"),
        in: .preview
    )
    .help("Post users' responses to notifications to this URL, and return its answers from POST /v1/responses.")

    package let hasWorker = Setting("worker", option: "--no-worker", .flag(false), in: .preview, default: true)
        .help("Accept jobs over HTTP, but leave them to other workers of the queue, which must be on Redis.")

    /// The settings, each with the name of its property.
    static func all(in table: Self) -> [(name: String, setting: any AnySetting)] {
        Mirror(reflecting: table).children.compactMap { name, value in
            (value as? any AnySetting).map { (name ?? "", $0) }
        }
    }
}
