import CLinux
import Glibc
import Synchronization

/// A point on the clock for deadlines. It has no meaning outside this process.
package struct Instant: InstantProtocol {
    package var sinceOrigin: Duration

    package init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

    package func advanced(by duration: Duration) -> Instant { Instant(sinceOrigin: sinceOrigin + duration) }

    package func duration(to other: Instant) -> Duration { other.sinceOrigin - sinceOrigin }

    package static func < (left: Instant, right: Instant) -> Bool { left.sinceOrigin < right.sinceOrigin }
    package static func + (left: Instant, right: Duration) -> Instant { left.advanced(by: right) }
    package static func - (left: Instant, right: Duration) -> Instant { left.advanced(by: .zero - right) }
    package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }
}

/// The clock for deadlines. Tests use a clock that does not move until they advance it.
package protocol TimeSource: Clock where Instant == Base.Instant {
    /// The time by which sleeps of about the last minute ended late, at most a second. It grows on a full machine.
    var lateness: Duration { get }
}

extension TimeSource {
    package var lateness: Duration { .zero }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns at `instant`, or throws `CancellationError` as soon as the task is cancelled.
    package func sleep(until instant: Instant) async throws { try await sleep(until: instant, tolerance: nil) }
}

/// The machine's monotonic clock.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    package func sleep(until instant: Instant, tolerance: Duration?) async throws {
        try await Alarms.shared.sleep(until: instant)
    }

    package var lateness: Duration { Alarms.shared.lateness }
}

extension Duration {
    /// Whole milliseconds, rounded to the nearest.
    package var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.addingClamped(Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000))
    }
}

// MARK: - Answers in time

extension TimeSource {
    /// Returns the answer of `work`, or at `expiry` that of `fallback`, whichever is first.
    ///
    /// Late work is cancelled and left behind. No caller waits for it, so it may ignore the cancellation.
    /// Cancelling the caller does not cut the answer short.
    package func answer<Value: Sendable>(
        by expiry: Instant,
        _ work: @escaping @Sendable () async -> Value,
        else fallback: @escaping @Sendable () -> Value,
    ) async -> Value {
        let answer = OneShot<Value>()
        let worker = Task { answer.set(await work()) }
        let timer = Task {
            // Only the other answer cuts the sleep short.
            guard (try? await sleep(until: expiry)) != nil else { return }
            answer.set(fallback())
        }
        defer {
            worker.cancel()
            timer.cancel()
        }
        return await answer.value {}
    }

    /// Returns what `work` returns or throws what it throws; at `expiry`, throws `late`.
    package func answer<Value: Sendable>(
        by expiry: Instant,
        orThrow late: any Error,
        _ work: @escaping @Sendable () async throws -> Value,
    ) async throws -> Value {
        try await answer(by: expiry) {
            do { return Result<Value, any Error>.success(try await work()) } catch { return .failure(error) }
        } else: {
            .failure(late)
        }
        .get()
    }
}

// MARK: - Wake-ups

extension WakeUp {
    /// Waits for the next call, but not longer than until `end`.
    package func wait(until end: Instant, on time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.wait() }
            group.addTask { try await time.sleep(until: end) }
            try await group.next()
        }
    }
}

// MARK: - Sleep

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
        var lateness = RecentMaximum()
        /// The end of the last time for which the process was stopped. Sleeps that were due before it teach nothing.
        var resumedAt = Instant(sinceOrigin: .zero)
    }

    /// The maximum lateness that is recorded. Only in a process that was stopped is the timer itself later.
    private static let longestLateness: Duration = .seconds(1)

    static let shared = Alarms()

    private let timer: Int32
    private let state = Mutex(State())

    init() {
        timer = clinux_timer()
        guard timer >= 0 else {
            Self.end("The process cannot create its timer. Raise the limit of open files (ulimit -n).")
        }
        do throws(SystemError) {
            // The thread lives as long as the process, and so must this object.
            try OwnThread.start("timers", isUrgent: true) { self.run() }
        } catch {
            Self.end("The process cannot start a thread for its timer. Raise the limit of threads (ulimit -u).")
        }
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

    /// The time by which recent sleeps ended late, until their tasks ran again.
    var lateness: Duration {
        let now = SystemTime().now
        return state.withLock { $0.lateness.value(at: now) }
    }

    /// Returns at `instant`, or throws `CancellationError` as soon as the task is cancelled.
    func sleep(until instant: Instant) async throws {
        let due = max(instant, SystemTime().now)
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
        let now = SystemTime().now
        state.withLock { state in
            guard due >= state.resumedAt else { return }
            state.lateness.learn(min(now - due, Self.longestLateness), at: now)
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
            let (due, answers) = state.withLock { state in
                let due = state.sleepers.removeAll { $0 <= now }
                if let armed = state.armed, now - armed > Self.longestLateness { state.resumedAt = now }
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
