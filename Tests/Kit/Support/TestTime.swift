package import Base
import Media
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestTime: TimeSource {
    private struct Sleeper {
        var instant: Instant
        var wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(sinceOrigin: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var nextID = 0
        /// What waits until the times of all sleepers satisfy a condition.
        var watchers = Waiters<@Sendable ([Instant]) -> Bool, Void>()
    }

    private let state = Mutex(State())

    /// The lateness that the clock reports. Its sleeps are never late.
    package let lateness: Duration

    package init(lateness: Duration = .zero) { self.lateness = lateness }

    package var start: Instant { Instant(sinceOrigin: .zero) }

    package var now: Instant { state.withLock(\.now) }

    package func sleep(until instant: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let watchers = state.withLock { state in
                    if Task.isCancelled {
                        wake.resume(throwing: CancellationError())
                    } else if instant <= state.now {
                        wake.resume()
                    } else {
                        state.sleepers[id] = Sleeper(instant: instant, wake: wake)
                    }
                    return Self.takeWatchers(&state)
                }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume(throwing: CancellationError())
        }
    }

    /// Waits until `count` tasks sleep on this clock, or until the test is cancelled.
    package func sleepers(_ count: Int) async { await watch { $0.count >= count } }

    /// Waits until a task sleeps until `instant`, or until the test is cancelled.
    package func sleeper(until instant: Instant) async { await watch { $0.contains(instant) } }

    private func watch(_ isDue: @escaping @Sendable ([Instant]) -> Bool) async {
        await withWaiter { waiter in
            state.withLock { state in
                if isDue(state.sleepers.values.map(\.instant)) { return () }
                state.watchers.add(waiter, isDue)
                return nil
            }
        } onCancel: { id in
            state.withLock { $0.watchers.remove(id) }?.waiter.resume()
        }
    }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now + duration
            let due = state.sleepers.filter { $0.value.instant <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.instant < $1.instant }.map(\.wake)
        }
        for wake in due { wake.resume() }
    }

    private static func takeWatchers(_ state: inout State) -> [Waiter<Void>] {
        let asleep = state.sleepers.values.map(\.instant)
        return state.watchers.removeAll { $0(asleep) }
    }
}
