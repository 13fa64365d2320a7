import HTTPClient
import Logging
import Media
import Telemetry

/// The settings, by their keys in the configuration file.
///
/// This file is the only place that names a setting: its option on the command line, its environment variable, the help
/// text and the page of reference come from here. `Settings` reads its value.
package enum SettingsKey: String, Sendable, CaseIterable {
    case profile, deadline, store
    case publicURL = "publicUrl"
    case fileURLs = "fileUrls"
    case publish, publishEndpoint, publishRegion, publishStyle, publishCredentialsFile
    case signingKeyFile, groupReadableKeys, keep, quota, reuse, allowAddresses, caFile, decoders, requireSandbox
    case disabledFormats = "formats.disabled"
    case logLevel, logFormat, logSample
    case listen, metricsListen, apiTokenFile, requests
    case queue, backlog, tenantShare, workerStart, strict
    case preview, responseWebhook, worker

    /// The environment variable of the setting: `ATTACHD_` and the key in capitals, with `_` between its words and in
    /// place of a dot.
    package var variable: String {
        rawValue.reduce(into: "ATTACHD_") { name, letter in
            if letter.isUppercase { name += "_" }
            name += letter == "." ? "_" : letter.uppercased()
        }
    }

    /// The keys of the tables of the file that lead to the setting, the outermost first. Most settings are in no table.
    var path: [String] { rawValue.split(separator: ".").map(String.init) }
}

/// The option of a setting on the command line.
package struct SettingOption: Sendable {
    /// The commands that have the option: all commands with settings, or those that need this part of attachd.
    package enum Group: Sendable {
        case common, server, queue, preview
    }

    package enum Form: Sendable {
        case text
        /// A text that may contain a password.
        case secret
        /// A text; the option may be repeated.
        case texts
        case number
        /// An option without a value, which means this.
        case flag(Bool)
    }

    /// The name without its dashes.
    package let name: String
    package let group: Group
    package let form: Form
    /// The help text, with the default value at its end.
    package let help: String

    fileprivate init(_ name: String, _ form: Form = .text, in group: Group = .common, help: String) {
        self.name = name
        self.group = group
        self.form = form
        self.help = help
    }
}

extension SettingsKey {
    /// The option of the setting.
    package var option: SettingOption {
        switch self {
        case .profile:
            SettingOption(
                "profile",
                help:
                    "The profile of attachments: apns, fcm, webpush, or a profile of the configuration file. (default: apns)"
            )
        case .deadline:
            SettingOption("deadline", help: "The deadline of a notification, such as 800ms or 20s. (default: 25s)")
        case .store:
            SettingOption(
                "store",
                help: "The folder for all files that attachd writes. (default: below the user's state directory)"
            )
        case .publicURL:
            SettingOption(
                "public-url",
                help:
                    "The URL of the sidecar or the bucket for phones, such as https://push.example.com. (default: none; payloads keep the sender's URLs)"
            )
        case .fileURLs:
            SettingOption(
                "file-urls",
                .flag(true),
                in: .server,
                help:
                    "Without a public URL, write file: URLs into payloads, for a gateway on this machine that publishes the files."
            )
        case .publish:
            SettingOption(
                "publish",
                help: "Publish ready files to this bucket, such as s3://media/pushes. (default: none)"
            )
        case .publishEndpoint:
            SettingOption(
                "publish-endpoint",
                help: "The S3-compatible store of the bucket, such as https://s3.example.com. (default: AWS)"
            )
        case .publishRegion:
            SettingOption("publish-region", help: "The bucket's region. (default: AWS_REGION, else us-east-1)")
        case .publishStyle:
            SettingOption(
                "publish-style",
                help:
                    "The position of the bucket's name in request URLs: path or host. (default: host for AWS, else path)"
            )
        case .publishCredentialsFile:
            SettingOption(
                "publish-credentials",
                help: "Read AWS credentials from this file. (default: the variables AWS_ACCESS_KEY_ID and so on)"
            )
        case .signingKeyFile:
            SettingOption(
                "signing-key",
                help:
                    "Sign URLs with the key in this file, with two lines during a change of keys. (default: the store's own)"
            )
        case .groupReadableKeys:
            SettingOption(
                "group-readable-keys",
                .flag(true),
                help: "Accept files with keys, tokens and credentials that are readable by their group."
            )
        case .keep:
            SettingOption("keep", help: "The time for which ready files are kept. (default: 24h)")
        case .quota:
            SettingOption(
                "quota",
                help:
                    "Disk space for ready files, such as 500MB. Beyond it, the oldest files are removed. (default: 10GB)"
            )
        case .reuse:
            SettingOption(
                "reuse",
                help: "The time for which attachments without a lifetime are reused; 0 turns reuse off. (default: 60s)"
            )
        case .allowAddresses:
            SettingOption(
                "allow-address",
                .texts,
                help: "Also fetch from this address block; may be repeated. (default: public addresses only)"
            )
        case .caFile:
            SettingOption("ca-file", help: "Also trust the certificate authorities in this file.")
        case .decoders:
            SettingOption("decoders", .number, help: "The number of decoder processes. (default: the number of cores)")
        case .requireSandbox:
            SettingOption("require-sandbox", .flag(true), help: "Refuse to work if a layer of the sandbox is missing.")
        case .disabledFormats:
            SettingOption(
                "disable-format",
                .texts,
                help:
                    "Never decode this input format or codec, such as heic or hevc; may be repeated. (default: none)"
            )
        case .logLevel:
            SettingOption(
                "log-level",
                help:
                    "The least severe level to log: trace, debug, info, notice, warning, error or critical. (default: info)"
            )
        case .logFormat:
            SettingOption(
                "log-format",
                help: "The format of log lines: text or json. (default: text on a terminal, else json)"
            )
        case .logSample:
            SettingOption(
                "log-sample",
                .number,
                help: "Log one of this many finished notifications. (default: 1, which logs all)"
            )
        case .listen:
            SettingOption(
                "listen",
                in: .server,
                help: "The HOST:PORT to listen on. Port 0 takes a free port. (default: 127.0.0.1:8080)"
            )
        case .metricsListen:
            SettingOption(
                "metrics-listen",
                in: .server,
                help:
                    "Serve metrics and health checks, and nothing else, at this HOST:PORT, and metrics no longer at --listen. (default: none)"
            )
        case .apiTokenFile:
            SettingOption(
                "api-token",
                in: .server,
                help: "Require the token in this file from clients: \"Authorization: Bearer …\"."
            )
        case .requests:
            SettingOption(
                "requests",
                .number,
                in: .server,
                help:
                    "The maximum number of concurrent notifications. Further ones are answered with 429. (default: 256)"
            )
        case .queue:
            SettingOption(
                "queue",
                .secret,
                in: .queue,
                help:
                    "The queue: sqlite:PATH, redis://HOST:PORT, rediss://HOST:PORT, or redis-sentinel://HOST:PORT,HOST:PORT/NAME. (default: a file in the store)"
            )
        case .backlog:
            SettingOption(
                "backlog",
                .number,
                in: .queue,
                help: "The maximum number of jobs in the queue. Further jobs are refused. (default: 100000)"
            )
        case .tenantShare:
            SettingOption(
                "tenant-share",
                .number,
                in: .queue,
                help:
                    "The percentage of the backlog, and of concurrent notifications, that one named tenant may have. (default: 50)"
            )
        case .workerStart:
            SettingOption(
                "worker-start",
                in: .queue,
                help:
                    "The time from the decision for a new worker to its first job, for the number of workers at /v1/scale. (default: 20s)"
            )
        case .strict:
            SettingOption(
                "strict",
                .flag(true),
                in: .queue,
                help:
                    "Refuse a Redis that may lose jobs instead of logging a warning. With redis-sentinel://, acknowledge only what replicas have."
            )
        case .preview:
            SettingOption("no-preview", .flag(false), in: .preview, help: "Turn the preview at /preview off.")
        case .worker:
            SettingOption(
                "no-worker",
                .flag(false),
                in: .preview,
                help: "Take jobs over HTTP, but leave them to the other workers of the queue, which is on Redis."
            )
        case .responseWebhook:
            SettingOption(
                "response-webhook",
                in: .preview,
                help:
                    "Post users' responses to notifications to this URL, which provides the answers of POST /v1/responses."
            )
        }
    }
}

extension SettingsKey {
    /// The values that the setting can have, or the beginnings of its values, for the completion of command lines. Empty
    /// if there are too many to list.
    package var words: [String] {
        switch self {
        case .profile: Profile.builtIn.map(\.name)
        case .publishStyle: BucketAddress.Style.allCases.map(\.rawValue)
        case .disabledFormats: DisabledFormats.allNames
        case .logLevel: Logger.Level.allCases.map(\.rawValue)
        case .logFormat: LogFormat.allCases.map(\.rawValue)
        case .queue: QueueAddress.beginnings
        default: []
        }
    }
}
