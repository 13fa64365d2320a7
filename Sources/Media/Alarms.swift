import CLinux
import Glibc
import Synchronization

/// Wakes tasks at their time, from one thread that waits for the soonest.
///
/// `Task.sleep` keeps its timer in memory until its time has come, even when the task was cancelled long before. Here
/// nearly every sleep is cancelled, most of them seconds before their time: a cancelled one leaves nothing behind.
final class Alarms: Sendable {
    private struct Sleeper {
        var instant: Instant
        var wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var sleepers: [UInt64: Sleeper] = [:]
        var lastID: UInt64 = 0
        /// When the timer goes off; `nil` when nobody sleeps.
        var armed: Instant?
    }

    static let shared = Alarms()

    private let timer: Int32
    private let state = Mutex(State())

    init() {
        timer = clinux_timer()
        precondition(timer >= 0, "no timer descriptor: errno \(errno)")
        var thread = pthread_t()
        // The thread lives as long as the process, and so does what it works on.
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Alarms>.fromOpaque(context).takeUnretainedValue().run()
                }
                return nil
            },
            context,
        )
        precondition(code == 0, "no thread for the timer: error \(code)")
        pthread_detach(thread)
    }

    /// How many tasks sleep.
    var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Returns at `instant`, or throws `CancellationError` as soon as the task is cancelled.
    func sleep(until instant: Instant) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleepers[id] = Sleeper(instant: instant, wake: wake)
                    arm(&state, for: instant)
                    return false
                }
                if isCancelled { wake.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    /// Sets the timer, unless it goes off before `instant` anyway.
    private func arm(_ state: inout State, for instant: Instant) {
        if let armed = state.armed, armed <= instant { return }
        state.armed = instant
        let (seconds, attoseconds) = max(instant.sinceOrigin, .nanoseconds(1)).components
        clinux_timer_set(timer, Int(seconds), Int(attoseconds / 1_000_000_000))
    }

    private func run() {
        while true {
            clinux_timer_wait(timer)
            let now = SystemTime().now
            let due = state.withLock { state in
                let due = state.sleepers.filter { $0.value.instant <= now }
                for id in due.keys { state.sleepers[id] = nil }
                state.armed = nil
                if let soonest = state.sleepers.values.map(\.instant).min() { arm(&state, for: soonest) }
                return due.values.map(\.wake)
            }
            for wake in due { wake.resume() }
        }
    }
}
