import Jobs
import Media
import ServiceExtension
import Synchronization
import Timing

/// The state of the queue, for health checks. One caller at a time asks, with a short time limit, so that a queue that
/// hangs blocks nobody else.
final class QueueHealth: Sendable {
    private typealias Answer = Result<QueueStatus, JobQueueError>

    private let fresh: SharedAnswer<Answer>
    private let recent: SharedAnswer<Answer>

    /// The time limit of one request to the queue. Probes wait for one second.
    private static let patience: Duration = .milliseconds(500)

    /// Creates the health of a queue. `knownProblem` returns the reason of its last failure, if one is known.
    init(_ queue: any JobQueue, knownProblem: @escaping @Sendable () -> JobQueueError? = { nil }) {
        let silence = { @Sendable in
            knownProblem() ?? JobQueueError(.unavailable, "The queue does not answer.")
        }
        let ask: @Sendable () async -> Answer = {
            let time = SystemTime()
            return await time.answer(by: time.now + Self.patience) {
                do {
                    return .success(try await queue.status())
                } catch let error as JobQueueError {
                    return .failure(error)
                } catch {
                    return .failure(silence())
                }
            } else: {
                .failure(silence())
            }
        }
        fresh = SharedAnswer(keptFor: .zero, ask)
        recent = SharedAnswer(keptFor: .seconds(1), ask)
    }

    /// The state of the queue; `nil` if the queue does not answer.
    var status: QueueStatus? {
        get async { try? await fresh.value().get() }
    }

    /// The reason why the queue neither takes nor gives jobs; `nil` if it works.
    var problem: JobQueueError? {
        get async {
            if case .failure(let error) = await recent.value() { error } else { nil }
        }
    }
}
