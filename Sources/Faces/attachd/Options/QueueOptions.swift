import App
import ArgumentParser
import Jobs
import Logging
import Media
package import Values

/// The options of the commands that work with a queue.
struct QueueOptions: ParsableArguments {
    @Option(help: "The queue: sqlite:PATH, redis://HOST:PORT or rediss://HOST:PORT. (default: a file in the store)")
    var queue: Secret<String>?
    @Option(help: "The maximum number of jobs in the queue. Further jobs are refused. (default: 100000)")
    var backlog: Int?
    @Flag(help: "Refuse a Redis that may lose jobs instead of logging a warning.")
    var strict = false

    /// The options for `CommonOptions.settings`.
    var options: [SettingsKey: SettingsSource.Option] {
        var options: [SettingsKey: SettingsSource.Option] = [:]
        options[.queue] = queue.map { .secret($0) }
        options[.backlog] = backlog.map { .number($0) }
        if strict { options[.strict] = .flag(true) }
        return options
    }
}

extension Secret: ExpressibleByArgument where Value == String {
    package init?(argument: String) { self.init(argument) }
}

extension OpenQueue {
    /// Opens the queue, or ends the command with an error message.
    static func opened(_ settings: Settings, mayBeAway: Bool = false) async throws -> OpenQueue {
        do {
            return try await open(settings, mayBeAway: mayBeAway, logger: Logger(label: "attachd"))
        } catch let error as JobQueueError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    init(_ error: JobQueueError) {
        let status: ExitStatus =
            switch error.reason {
            case .badJob: .badInput
            case .misconfigured: .badConfiguration
            case .noSpace, .untrusted: .cannotWrite
            case .inUse, .unavailable, .broken: .failure
            }
        self.init(status, error.description)
    }
}
