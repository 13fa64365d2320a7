import CLinux
import Synchronization

/// The heartbeat of one thread that all work needs, such as the one on which all transfers run.
///
/// The thread is asked to answer in the same way as it is given any other work. A thread that does not answer is
/// stalled: it is stuck in one of its turns, or it is not woken.
package final class LoopHeartbeat: Sendable {
    private struct State {
        /// The instant of the question that is not answered yet.
        var asked: Instant?
    }

    /// The longest time that a loop may take to answer.
    package static let limit: Duration = .seconds(2)

    package let name: String
    /// A Boolean value that indicates whether the loop waits for a disk, which a restart of the process does not mend.
    let needsDisk: Bool
    private let time: any TimeSource
    private let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    /// Creates a heartbeat. `ask` has the thread call `answer` among its other work, and must not wait for it.
    package init(
        _ name: String,
        time: any TimeSource = SystemTime(),
        in group: LoopHeartbeats = .ofThisProcess,
        needsDisk: Bool = false,
        ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void,
    ) {
        self.name = name
        self.time = time
        self.needsDisk = needsDisk
        self.ask = ask
        group.add(self)
    }

    /// Asks for an answer, unless a question is still open.
    package func beat() {
        let now = time.now
        let isNew = state.withLock { state in
            guard state.asked == nil else { return false }
            state.asked = now
            return true
        }
        guard isNew else { return }
        ask { [weak self] in self?.state.withLock { $0.asked = nil } }
    }

    /// The time for which the loop has been stalled, once that is longer than `limit`; `nil` while it runs.
    package var standstill: Duration? {
        guard let asked = state.withLock(\.asked) else { return nil }
        let duration = time.now - asked
        return duration >= Self.limit ? duration : nil
    }
}

// MARK: - All loops

/// The heartbeats of all loops that exist now.
package final class LoopHeartbeats: Sendable {
    private struct Entry {
        weak var heartbeat: LoopHeartbeat?
    }

    /// The heartbeats of this process. Each loop is registered from its start to its end, whichever component started
    /// it.
    package static let ofThisProcess = LoopHeartbeats()
    /// The heartbeat of the thread that wakes sleeping tasks.
    private static let timers = LoopHeartbeat("timers") { askTimers($0) }

    /// Asks the thread that wakes sleeping tasks to call `answer`.
    package static func askTimers(_ answer: @escaping @Sendable () -> Void) { Alarms.shared.answer(answer) }

    private let entries = Mutex<[Entry]>([])

    package init() {}

    func add(_ heartbeat: LoopHeartbeat) {
        entries.withLock { entries in
            entries.removeAll { $0.heartbeat == nil }
            entries.append(Entry(heartbeat: heartbeat))
        }
    }

    /// The time for which each loop has been stalled, by the loop's name; zero for a loop that runs.
    package var standstills: [String: Duration] {
        heartbeats.reduce(into: [:]) { all, heartbeat in
            all[heartbeat.name] = max(all[heartbeat.name] ?? .zero, heartbeat.standstill ?? .zero)
        }
    }

    /// The names of the loops that have been stalled for some time and that a restart of the process may mend.
    package func namesToRestart(after duration: Duration) -> [String] {
        Set(heartbeats.filter { !$0.needsDisk && ($0.standstill ?? .zero) >= duration }.map(\.name)).sorted()
    }

    /// The names of the stalled loops.
    package var stalledNames: [String] { standstills.filter { $0.value > .zero }.keys.sorted() }

    /// Asks every loop for an answer.
    package func beat() {
        if self === Self.ofThisProcess { Self.timers.beat() }
        for heartbeat in heartbeats { heartbeat.beat() }
    }

    /// The live heartbeats. They are released outside the lock: the last reference to one may be here.
    private var heartbeats: [LoopHeartbeat] { entries.withLock { $0.compactMap(\.heartbeat) } }
}
