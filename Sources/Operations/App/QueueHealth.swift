import Jobs
import Media
import ServiceExtension
import Synchronization
import Timing

/// How the queue stands, asked by one at a time and for a moment only: a queue that hangs holds nobody else up.
final class QueueHealth: Sendable {
    private typealias Answer = Result<QueueStatus, JobQueueError>

    private let fresh: SharedAnswer<Answer>
    private let recent: SharedAnswer<Answer>

    /// Probes wait for a second.
    private static let patience: Duration = .milliseconds(500)

    init(_ queue: any JobQueue) {
        let ask: @Sendable () async -> Answer = {
            let time = SystemTime()
            return await time.answer(by: time.now + Self.patience) {
                do {
                    return .success(try await queue.status())
                } catch let error as JobQueueError {
                    return .failure(error)
                } catch {
                    return .failure(Self.silent)
                }
            } else: {
                .failure(Self.silent)
            }
        }
        fresh = SharedAnswer(keptFor: .zero, ask)
        recent = SharedAnswer(keptFor: .seconds(1), ask)
    }

    /// `nil` if the queue can't say.
    var status: QueueStatus? {
        get async { try? await fresh.value().get() }
    }

    /// Why the queue takes and gives no jobs; `nil` if it does.
    var problem: JobQueueError? {
        get async {
            if case .failure(let error) = await recent.value() { error } else { nil }
        }
    }

    private static let silent = JobQueueError(.unavailable, "The queue does not answer.")
}
