import Synchronization

/// When work is due that several wait for, each with a deadline of its own: they come and go while it is under way.
///
/// The soonest of their deadlines says how urgent the work is; at the latest of them it ends. That one only moves away.
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

    /// The latest deadline to which something had to give way: a rung that was left out, or a source that was cut. `nil`
    /// as long as the result is the same as without any deadline.
    package var lastCutback: Instant? { state.withLock(\.lastCutback) }

    /// Takes over the deadlines of those who wait now. A latest one that has been waited for stays.
    package func move(soonest: Instant, latest: Instant) {
        let onMove = state.withLock { state in
            let isMoved = state.soonest != soonest
            state.soonest = soonest
            state.latest = max(state.latest, latest)
            return isMoved ? state.onMove : nil
        }
        onMove?()
    }

    /// Has `action` called each time that the soonest deadline becomes another; `nil` ends that.
    package func onMove(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onMove = action } }

    /// Notes that less is done because the latest deadline is no later.
    package func recordCutback() { state.withLock { $0.lastCutback = $0.latest } }

    /// Returns when what `instant` makes of the latest deadline has come, wherever that moves meanwhile; throws if the
    /// task is cancelled.
    package func wait(
        on time: any TimeSource,
        until instant: @Sendable (_ latest: Instant) -> Instant = { $0 },
    ) async throws {
        repeat { try await time.sleep(until: instant(latest)) } while time.now < instant(latest)
    }
}
