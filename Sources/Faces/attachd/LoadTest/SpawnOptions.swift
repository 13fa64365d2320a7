import ArgumentParser
import Media
import Values

/// What is started for the load test.
struct SpawnOptions: ParsableArguments {
    /// How notifications reach a worker.
    enum Way: String, CaseIterable, ExpressibleByArgument {
        case notifications, rewrite, jobs, queue
    }

    @Flag(help: "Start a worker and an origin, with a store that is gone afterwards.")
    var spawn = false
    @Option(help: "notifications, rewrite or jobs: the route; queue: straight into --queue.")
    var through = Way.notifications
    @Option(help: "The worker's queue, such as redis://127.0.0.1:6379. (default: a file in its store)")
    var queue: Secret<String>?
    @Option(help: "WEIGHT:PATH or PATH: a media file, or a folder of them; may be repeated. (default: tiny samples)")
    var media: [String] = []
    @Option(help: "A rule of the origin, such as '*.mp4 bandwidth=50kB/s&latency=200ms'; may be repeated.")
    var rule: [String] = []
    @Option(help: "How many decoder processes the worker has. (default: the number of cores)")
    var decoders: Int?
    @Option(help: "The worker's configuration file.")
    var config: String?

    func validate() throws {
        guard through != .queue || queue != nil else {
            throw ValidationError(
                "--through queue goes with --queue redis://…: a file is the worker's own; --through jobs uses it."
            )
        }
    }
}
