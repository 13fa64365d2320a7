import Base
import Jobs
import Logging
import Media
import Payloads
import Processing
import ServiceLifecycle
import Synchronization

/// The state of the queue, for health checks. One caller at a time asks, with a short time limit, so that a queue that
/// hangs blocks nobody else.
final class QueueHealth: Sendable {
    private typealias Answer = Result<QueueStatus, JobQueueError>

    private let queue: any JobQueue
    private let fresh = SingleFlight<OneKey, Answer>()
    private let recent = SingleFlight<OneKey, Answer>(keptFor: .seconds(1))

    /// The time limit of one request to the queue. Probes wait for one second.
    private static let timeLimit: Duration = .milliseconds(500)

    init(_ queue: any JobQueue) { self.queue = queue }

    @Sendable
    private func ask() async -> Answer {
        let (time, end) = (SystemTime(), SystemTime().now + Self.timeLimit)
        do {
            return .success(try await time.answer(by: end, orThrow: silence) { [queue] in try await queue.status() })
        } catch {
            return .failure(error as? JobQueueError ?? silence)
        }
    }

    private var silence: JobQueueError {
        queue.problem ?? JobQueueError(.unavailable, "The queue does not answer.")
    }

    /// The state of the queue; `nil` if the queue does not answer.
    var status: QueueStatus? {
        get async { try? await fresh.value(ask).get() }
    }

    /// The reason why the queue neither takes nor gives jobs; `nil` if it works.
    var problem: JobQueueError? {
        get async {
            if case .failure(let error) = await recent.value(ask) { error } else { nil }
        }
    }
}

// MARK: - The start

/// The first questions to the queue's server. HTTP is served meanwhile: a server that is away delays no health check.
///
/// All parts that start work wait for the list of switched-off formats (`whenFormatsAreKnown`), because a format may be
/// switched off because of a bug in its decoder.
final class QueueStart: Service {
    private let queue: any JobQueue
    private let formats: FleetFormats
    private let reading: Task<Void, Never>
    private let keys: FleetKeys?
    private let logger: Logger

    /// Creates the first questions. With `keys`, the process ends if the fleet has others.
    init(
        _ queue: any JobQueue,
        _ formats: FleetFormats,
        _ fleet: FleetKnowledge?,
        insistingOn keys: FleetKeys? = nil,
        logger: Logger,
    ) {
        self.queue = queue
        self.formats = formats
        self.keys = keys
        self.logger = logger
        reading = Task {
            await formats.read()
            await fleet?.learn()
        }
    }

    /// Ends the process with an error if the server is not suited to the queue.
    func run() async throws {
        try await cancelWhenGracefulShutdown { [queue, keys, logger] in
            do {
                do {
                    try await queue.checkServer()
                } catch let error as JobQueueError where error.reason == .unavailable || error.reason == .noSpace {
                    logger.warning(
                        "The queue cannot be reached. Its server is tried again later.",
                        metadata: ["reason": "\(error)"]
                    )
                }
                try await keys?.insist()
            } catch is CancellationError {}
        }
        try await gracefulShutdown()
    }

    /// Returns once the fleet's list of formats was read, or its server did not answer in time.
    func whenFormatsAreKnown() async { await reading.value }

    /// The reason why no work begins yet; `nil` once it may.
    var problem: StartError? {
        formats.wasAsked ? nil : StartError(reason: queue.problem?.description)
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

// MARK: - Scaling

/// The number of workers that the queue needs, for `GET /v1/scale` and the metrics.
package final class QueueScaling: Sendable {
    let scaler: FleetScaler
    private let shared = SingleFlight<OneKey, Result<ScalingAnswer, JobQueueError>>(keptFor: .seconds(1))

    /// Creates the scaling of a queue whose new workers need `startTime` until their first job.
    init(_ queue: any JobQueue, startTime: Duration) {
        scaler = FleetScaler(queue, rule: ScalingRule(startTime: startTime))
    }

    @Sendable
    private func ask() async -> Result<ScalingAnswer, JobQueueError> {
        do {
            return .success(try await scaler.answer())
        } catch {
            return .failure(error as? JobQueueError ?? JobQueueError(.unavailable, "The queue does not answer."))
        }
    }

    /// The answer of this second, or `nil` while the queue does not answer.
    var recent: ScalingAnswer? {
        get async { try? await shared.value(ask).get() }
    }

    /// The answer of `GET /v1/scale`.
    var json: JSONValue {
        get async throws { try await shared.value(ask).get().json }
    }
}

extension ScalingAnswer {
    /// The answer as JSON, with what it is made of.
    fileprivate var json: JSONValue {
        [
            "workers": .integer(workers), "running": .integer(load.workers.count), "needed": .integer(needed),
            "neededForArrivals": .integer(forArrivals), "neededForBacklog": .integer(forBacklog),
            "backlog": .integer(load.waiting), "inProgress": .integer(load.running),
            "callbacks": .integer(load.callbacks),
            "arrivalsPerSecond": .number("\(Self.rounded(arrivalsPerSecond))"),
            "costMilliseconds": .number("\(Self.rounded(1000 / jobsPerSecond))"),
        ]
    }

    private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
