import Jobs
import JobsRedis
import Logging
import ServiceLifecycle

/// The first questions to the queue's server. HTTP is served meanwhile: a server that is away delays no health check.
///
/// What makes or takes work waits for the list of switched-off formats (`whenFormatsAreKnown`), because a format may be
/// off for a bug in its decoder.
final class QueueStart: Service {
    private let queue: OpenQueue
    private let formats: FleetFormats
    private let reading: Task<Void, Never>
    private let logger: Logger

    init(_ queue: OpenQueue, _ formats: FleetFormats, logger: Logger) {
        self.queue = queue
        self.formats = formats
        self.logger = logger
        reading = Task { await formats.read() }
    }

    /// Ends the process with an error if the server is not suited to the queue.
    func run() async throws {
        try await cancelWhenGracefulShutdown { [queue, logger] in
            do { try await queue.checkServer(logger: logger) } catch is CancellationError {}
        }
        try await gracefulShutdown()
    }

    /// Returns once the fleet's list of formats was read, or its server did not answer in time.
    func whenFormatsAreKnown() async { await reading.value }

    /// The reason why no work begins yet; `nil` once it may.
    var problem: StartError? {
        formats.wasAsked ? nil : StartError(reason: queue.redis?.problem?.description)
    }

    struct StartError: Error, CustomStringConvertible {
        var reason: String?

        var description: String {
            "The queue's server was not reached yet, so it is not known which formats the fleet has switched off. "
                + (reason ?? "It has not answered.")
        }
    }
}

/// A service that begins once the first questions to the queue's server have been asked.
struct AfterQueueStart<Later: Service>: Service {
    let service: Later
    let start: QueueStart

    func run() async throws {
        await start.whenFormatsAreKnown()
        try await service.run()
        // One that was told to stop before its turn must not end before it: the group would cancel all others.
        try? await gracefulShutdown()
    }
}
