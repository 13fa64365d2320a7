import Base
import Media
import Support
import Synchronization

/// A record of what clients were told about each job, and when, over all of a server's lives.
final class JobRecord: Sendable {
    enum Event {
        /// The server told a producer that the job waits.
        case accepted
        /// A producer submitted it again, and it was new to the queue.
        case lost
        /// The server told a worker that its answer is the job's.
        case answered
        /// A worker found it answered.
        case found
    }

    private struct Entries {
        var accepted: [String: Instant] = [:]
        var lost: Set<String> = []
        var answers: [String: [Instant]] = [:]
        var kills: [Instant] = []
    }

    private let entries = Mutex(Entries())
    private let waiters = Mutex<[Signal]>([])

    /// The answered jobs, and the times at which workers were told so.
    var answers: [String: [Instant]] { entries.withLock(\.answers) }

    /// The times at which the server was killed.
    var kills: [Instant] { entries.withLock(\.kills) }

    func note(_ id: String, as event: Event) {
        let now = SystemTime().now
        defer { tellWaiters() }
        entries.withLock { entries in
            switch event {
            case .accepted: entries.accepted[id] = now
            case .lost: entries.lost.insert(id)
            case .answered: entries.answers[id, default: []].append(now)
            case .found: entries.answers[id, default: []] += []
            }
        }
    }

    func noteKill() {
        let now = SystemTime().now
        entries.withLock { $0.kills.append(now) }
        tellWaiters()
    }

    /// Returns the jobs that the server accepted and forgot, though it had more than `time` before it was killed.
    func forgotten(within time: Duration) -> [String] {
        entries.withLock { entries in
            entries.lost.filter { id in
                guard let accepted = entries.accepted[id] else { return false }
                return !Self.isNear(accepted, entries.kills, within: time)
            }
        }
    }

    /// Returns the jobs with two answers, though the server had more than `time` to remember the first one.
    func answeredTwice(within time: Duration) -> [String] {
        entries.withLock { entries in
            entries.answers.filter { _, told in
                guard let first = told.first, told.count > 1 else { return false }
                return !Self.isNear(first, entries.kills, within: time)
            }
            .map(\.key)
        }
    }

    /// Returns whether a kill was close. A kill is recorded after it happened, and so is a reply to a client.
    private static func isNear(_ moment: Instant, _ kills: [Instant], within time: Duration) -> Bool {
        time > .zero && kills.contains { max($0, moment) - min($0, moment) <= time }
    }

    /// Waits until `isSo` holds, which is asked again after each event, or until the test is cancelled.
    func wait(until isSo: (JobRecord) -> Bool) async {
        while !Task.isCancelled {
            let change = Signal()
            waiters.withLock { $0.append(change) }
            if isSo(self) { return }
            await change.wait()
        }
    }

    private func tellWaiters() {
        let told = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in told { waiter.send() }
    }
}
