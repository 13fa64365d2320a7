import CLinux
import Concurrency
import Glibc
import Synchronization

/// Sleeping tasks, and one thread that wakes each at its time.
///
/// `Task.sleep` keeps its timer in memory until its time has come, even when the task was cancelled long before. Nearly
/// every sleep here is cancelled, most of them seconds early. A cancelled sleep here leaves nothing behind.
final class Alarms: Sendable {
    private struct State {
        var sleepers = Waiters<Instant, Result<Void, CancellationError>>()
        /// The instant at which the timer goes off, or `nil` when no task sleeps.
        var armed: Instant?
        /// The closures that the thread calls next, to show that it runs.
        var answers: [@Sendable () -> Void] = []
    }

    static let shared = Alarms()

    private let timer: Int32
    private let state = Mutex(State())

    init() {
        timer = clinux_timer()
        guard timer >= 0 else {
            Self.end("The process cannot create its timer. Raise the limit of open files (ulimit -n).")
        }
        var thread = pthread_t()
        // The thread lives as long as the process, and so must this object.
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
        guard code == 0 else {
            Self.end("The process cannot start a thread for its timer. Raise the limit of threads (ulimit -u).")
        }
        pthread_detach(thread)
    }

    /// Ends the process: without a timer no deadline could be met.
    private static func end(_ message: String) -> Never {
        let line = Array("attachd: \(message)\n".utf8)
        unsafe line.withUnsafeBytes { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        _exit(1)
    }

    /// Asks the thread to call `answer`.
    func answer(_ answer: @escaping @Sendable () -> Void) {
        let now = SystemTime().now
        state.withLock { state in
            state.answers.append(answer)
            arm(&state, for: now)
        }
    }

    /// The number of sleeping tasks.
    var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Returns at `instant`, or throws `CancellationError` as soon as the task is cancelled.
    func sleep(until instant: Instant) async throws {
        let result = await withWaiter { waiter in
            state.withLock { state -> Result<Void, CancellationError>? in
                if Task.isCancelled { return .failure(CancellationError()) }
                state.sleepers.add(waiter, instant)
                arm(&state, for: instant)
                return nil
            }
        } onCancel: { id in
            let sleeper = state.withLock { $0.sleepers.remove(id) }
            sleeper?.waiter.resume(returning: .failure(CancellationError()))
        }
        try result.get()
    }

    /// Sets the timer, unless it goes off before `instant` anyway.
    private func arm(_ state: inout State, for instant: Instant) {
        if let armed = state.armed, armed <= instant { return }
        state.armed = instant
        let (seconds, attoseconds) = max(instant.sinceOrigin, .nanoseconds(1)).components
        clinux_timer_set(timer, Int(seconds), Int(attoseconds / 1_000_000_000))
    }

    private func run() {
        setThreadName("timers")
        while true {
            clinux_timer_wait(timer)
            let now = SystemTime().now
            let (due, answers) = state.withLock { state in
                let due = state.sleepers.removeAll { $0 <= now }
                state.armed = nil
                if let soonest = state.sleepers.notes.min() { arm(&state, for: soonest) }
                defer { state.answers = [] }
                return (due, state.answers)
            }
            for waiter in due { waiter.resume(returning: .success(())) }
            for answer in answers { answer() }
        }
    }
}
