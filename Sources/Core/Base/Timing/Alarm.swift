import Synchronization

/// A call at the soonest of the instants that it was set for. It is set again with each change of what is due.
///
/// The action checks what is due by then, and sets the alarm for the next instant: a call may come early, but never late.
package final class Alarm: Sendable {
    private let time: any TimeSource
    private let armed = Mutex<Instant?>(nil)

    package init(_ time: any TimeSource) { self.time = time }

    /// Calls `action` at `instant`, unless it is `nil` or an earlier call is planned. Don't call this under a lock that
    /// `action` takes.
    package func set(for instant: Instant?, _ action: @escaping @Sendable () -> Void) {
        guard let instant else { return }
        let isSooner = armed.withLock { armed in
            guard armed.map({ instant < $0 }) ?? true else { return false }
            armed = instant
            return true
        }
        guard isSooner else { return }
        // Detached, because the timer is not a part of the task that sets it.
        Task.detached { [weak self, time] in
            try? await time.sleep(until: instant)
            self?.armed.withLock { if $0 == instant { $0 = nil } }
            action()
        }
    }
}
