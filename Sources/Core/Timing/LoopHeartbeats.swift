import Synchronization

/// The heartbeats of all loops that there are now.
package final class LoopHeartbeats: Sendable {
    private struct Entry {
        weak var heartbeat: LoopHeartbeat?
    }

    /// Those of this process. Each loop is in it from its start to its end, whoever started it.
    package static let ofThisProcess = LoopHeartbeats()
    /// That of the thread on which all sleeping tasks wait.
    private static let timers = LoopHeartbeat("timers") { askTimers($0) }

    /// Has the thread on which all sleeping tasks wait call `answer`.
    package static func askTimers(_ answer: @escaping @Sendable () -> Void) { Alarms.shared.answer(answer) }

    private let entries = Mutex<[Entry]>([])

    package init() {}

    func add(_ heartbeat: LoopHeartbeat) {
        entries.withLock { entries in
            entries.removeAll { $0.heartbeat == nil }
            entries.append(Entry(heartbeat: heartbeat))
        }
    }

    /// How long each loop has stood still, by the loop's name; zero for one that turns.
    package var standstills: [String: Duration] {
        heartbeats.reduce(into: [:]) { all, heartbeat in
            all[heartbeat.name] = max(all[heartbeat.name] ?? .zero, heartbeat.standstill ?? .zero)
        }
    }

    /// The names of the loops that stand still.
    package var stalledNames: [String] { standstills.filter { $0.value > .zero }.keys.sorted() }

    /// Asks every loop for an answer.
    package func beat() {
        if self === Self.ofThisProcess { Self.timers.beat() }
        for heartbeat in heartbeats { heartbeat.beat() }
    }

    /// Outside the lock: the last reference to a heartbeat may be one of these.
    private var heartbeats: [LoopHeartbeat] { entries.withLock { $0.compactMap(\.heartbeat) } }
}
