import Jobs
import Media
import Payloads
import Timing
import Worker

/// The number of workers that the queue needs, for `GET /v1/scale` and the metrics.
package final class QueueScaling: Sendable {
    let scaler: FleetScaler
    private let shared: SharedAnswer<Result<ScalingAnswer, JobQueueError>>

    /// Creates the scaling of a queue whose new workers need `startTime` until their first job.
    init(_ queue: any JobQueue, startTime: Duration) {
        let scaler = FleetScaler(queue, rule: ScalingRule(startTime: startTime))
        self.scaler = scaler
        shared = SharedAnswer(keptFor: .seconds(1)) {
            do {
                return .success(try await scaler.answer())
            } catch let error as JobQueueError {
                return .failure(error)
            } catch {
                return .failure(JobQueueError(.unavailable, "The queue does not answer."))
            }
        }
    }

    /// The answer of this second, or `nil` while the queue does not answer.
    var recent: ScalingAnswer? {
        get async { try? await shared.value().get() }
    }

    /// The answer of `GET /v1/scale`.
    var json: JSONValue {
        get async throws { try await shared.value().get().json }
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
