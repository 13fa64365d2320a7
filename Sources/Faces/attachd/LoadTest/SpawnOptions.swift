import ArgumentParser
import Foundation
import LoadTest
import Media
import Settings
import Values

/// The options of the worker and the origin that a load test starts.
struct SpawnOptions: ParsableArguments {
    /// The way of notifications to a worker.
    enum Way: String, CaseIterable, ExpressibleByArgument {
        case notifications, rewrite, jobs, queue
    }

    @Flag(help: "Start a worker, an origin and a store for the test, and remove them afterwards.")
    var spawn = false
    @Option(help: "The way to the worker: the route notifications, rewrite or jobs, or queue for --queue itself.")
    var through = Way.notifications
    @Option(
        help: "The worker's queue, such as redis://127.0.0.1:6379. (default: a file in its store)",
        completion: .list(SettingsKey.queue.words)
    )
    var queue: Secret<String>?
    @Option(
        help: "A media file, or a folder of them, as WEIGHT:PATH or PATH; may be repeated. (default: tiny samples)",
        completion: .file()
    )
    var media: [String] = []
    @Option(help: "A rule of the origin, such as '*.mp4 bandwidth=50kB/s&latency=200ms'; may be repeated.")
    var rule: [String] = []
    @Option(help: "The number of the worker's decoder processes. (default: the number of cores)")
    var decoders: Int?
    @Option(help: "The worker's configuration file.", completion: .file())
    var config: String?

    /// The settings of the worker and the origin, which decide the figures.
    var settings: RunSettings {
        var settings = RunSettings()
        settings["--spawn"] = "on"
        settings["--through"] = through.rawValue
        settings["--queue"] = queue.map { String($0.revealed.prefix { $0 != ":" }) }
        settings["--media"] = media.isEmpty ? nil : media.joined(separator: " ")
        settings["--rule"] = rule.isEmpty ? nil : rule.joined(separator: " ")
        settings["--decoders"] = decoders.map { "\($0)" }
        if let config {
            let text = FileManager.default.contents(atPath: config).map { String(decoding: $0, as: UTF8.self) }
            settings.record(digestOf: [text ?? ""], as: "--config")
        }
        return settings
    }

    func validate() throws {
        guard through != .queue || queue != nil else {
            throw ValidationError(
                "--through queue needs --queue redis://…. Use --through jobs for a queue in a file."
            )
        }
    }
}
