import Synchronization

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
