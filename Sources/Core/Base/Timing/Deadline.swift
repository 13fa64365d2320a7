import Synchronization

/// The deadline of one attachment, in one value for all of its steps.
///
/// Several callers may wait for the attachment, and they come and go while the work is under way. The soonest of their
/// deadlines says how urgent the work is. The work ends at the latest of them, which only ever moves away. The deadline
/// also records whether less was done because of it.
package final class Deadline: Sendable {
    private struct State {
        var soonest: Instant
        var latest: Instant
        var lastCutback: Instant?
        var onMove: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let warning = OneShot<Void>()

    /// Creates the deadline of a single caller.
    package init(_ instant: Instant) { state = Mutex(State(soonest: instant, latest: instant)) }

    package var soonest: Instant { state.withLock(\.soonest) }
    package var latest: Instant { state.withLock(\.latest) }

    /// The latest deadline for which work was cut back: a rung was left out, or a source was cut. `nil` as long as the
    /// result is the same as without a deadline.
    package var lastCutback: Instant? { state.withLock(\.lastCutback) }

    /// Takes over the deadlines of the current callers. The latest deadline never moves back.
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

    /// Warns the work that time is nearly up: it should finish the output at hand, and stop.
    package func warn() { warning.set() }

    /// Waits for the warning. Returns `false` if the task is cancelled first.
    package func warned() async -> Bool {
        _ = await warning.value()
        return warning.current != nil
    }
}
