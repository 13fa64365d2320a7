import Synchronization

/// The deadline of work that several callers wait for. Callers come and go while it is under way.
///
/// The soonest of their deadlines says how urgent the work is. The work ends at the latest of them, which only ever
/// moves away.
package final class MovingDeadline: Sendable {
    private struct State {
        var soonest: Instant
        var latest: Instant
        var lastCutback: Instant?
        var onMove: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    package init(_ instant: Instant) { state = Mutex(State(soonest: instant, latest: instant)) }

    package var soonest: Instant { state.withLock(\.soonest) }
    package var latest: Instant { state.withLock(\.latest) }

    /// The latest deadline for which work was cut back: a rung was left out, or a source was cut. `nil` as long as the
    /// result is the same as without a deadline.
    package var lastCutback: Instant? { state.withLock(\.lastCutback) }

    /// Takes over the deadlines of the current waiters. The latest deadline never moves back.
    package func move(soonest: Instant, latest: Instant) {
        let onMove = state.withLock { state in
            let isMoved = state.soonest != soonest
            state.soonest = soonest
            state.latest = max(state.latest, latest)
            return isMoved ? state.onMove : nil
        }
        onMove?()
    }

    /// Calls `action` each time that the soonest deadline changes; `nil` ends that.
    package func onMove(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onMove = action } }

    /// Records that work was cut back to meet the latest deadline.
    package func recordCutback() { state.withLock { $0.lastCutback = $0.latest } }

    /// Returns at the instant that `instant` computes from the latest deadline, even if that moves meanwhile. Throws if
    /// the task is cancelled.
    package func wait(
        on time: any TimeSource,
        until instant: @Sendable (_ latest: Instant) -> Instant = { $0 },
    ) async throws {
        repeat { try await time.sleep(until: instant(latest)) } while time.now < instant(latest)
    }
}
