import Media
import Synchronization
import Timing

/// Who was told what of each job, and when, over all of a server's lives.
final class Ledger: Sendable {
    enum Event {
        /// A producer was told that the job waits.
        case accepted
        /// A producer handed it over again, and it was new to the queue.
        case lost
        /// A worker was told that its answer is the job's.
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

    /// The jobs that were answered, and when workers were told so.
    var answers: [String: [Instant]] { entries.withLock(\.answers) }

    /// When the server was killed.
    var kills: [Instant] { entries.withLock(\.kills) }

    func note(_ id: String, as event: Event) {
        let now = SystemTime().now
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
    }

    /// The jobs that the server accepted and forgot, though it had more than `time` before it was killed.
    func forgotten(within time: Duration) -> [String] {
        entries.withLock { entries in
            entries.lost.filter { id in
                guard let accepted = entries.accepted[id] else { return false }
                return !Self.isNear(accepted, entries.kills, within: time)
            }
        }
    }

    /// The jobs that have two answers, though the server had more than `time` to remember the first one.
    func answeredTwice(within time: Duration) -> [String] {
        entries.withLock { entries in
            entries.answers.filter { _, told in
                guard let first = told.first, told.count > 1 else { return false }
                return !Self.isNear(first, entries.kills, within: time)
            }
            .map(\.key)
        }
    }

    /// A kill is noted after it happened, and so is what a client was told.
    private static func isNear(_ moment: Instant, _ kills: [Instant], within time: Duration) -> Bool {
        time > .zero && kills.contains { max($0, moment) - min($0, moment) <= time }
    }

    /// Looks again and again until something is so.
    func wait(until isSo: (Ledger) -> Bool) async throws {
        let time = SystemTime()
        while !isSo(self) { try await time.sleep(until: time.now + .milliseconds(5)) }
    }
}
