package import Jobs
import Media
import Payloads
package import Timing

/// A target that enqueues jobs through the queue's engine. Answers arrive when the engine reports them: with Redis
/// within 50 ms.
package struct QueueTarget: LoadTarget {
    private let queue: any JobQueue
    private let time: any TimeSource = SystemTime()

    package init(_ queue: any JobQueue) { self.queue = queue }

    package func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer {
        let sent = time.now
        func answer(_ outcome: LoadAnswer.Outcome, _ reason: String) -> LoadAnswer {
            LoadAnswer(outcome, sent: sent, answered: time.now, reason: reason)
        }
        let job = Job(
            id: notification.identifier,
            timeLimit: notification.deadline,
            content: notification.envelope,
        )
        do {
            let enqueued = try await queue.enqueue(job)
            guard enqueued != .busy, enqueued != .overShare else { return answer(.refused, "the queue is full") }
            while time.now < end {
                switch try await queue.state(of: job.name, waiting: min(end - time.now, .seconds(10))) {
                case .waiting, .running: continue
                case .unknown: return answer(.failed, "the queue does not know the job")
                case .finished(let reply):
                    let now = time.now
                    guard let result = try? JSONValue(parsing: reply.body) else {
                        return answer(.failed, "the job's status is \(reply.status.rawValue)")
                    }
                    return LoadAnswer(result: result, sent: sent, answered: now)
                }
            }
            return LoadAnswer(.unanswered, sent: sent, answered: end, reason: "no answer in time")
        } catch {
            return answer(.failed, "the queue failed")
        }
    }
}
