package import Base
import Synchronization

/// An answer that is computed once for all callers that ask within a moment.
package final class SharedAnswer<Value: Sendable>: Sendable {
    private struct State {
        var running: Task<Value, Never>?
        var last: (value: Value, end: Instant)?
    }

    private let time: any TimeSource
    private let keptFor: Duration
    private let work: @Sendable () async -> Value
    private let state = Mutex(State())

    /// Creates an answer that serves callers while it is computed, and for `keptFor` afterwards.
    package init(
        keptFor: Duration,
        time: any TimeSource = SystemTime(),
        _ work: @escaping @Sendable () async -> Value,
    ) {
        self.keptFor = keptFor
        self.time = time
        self.work = work
    }

    package func value() async -> Value {
        let now = time.now
        let (known, task) = state.withLock { state -> (Value?, Task<Value, Never>?) in
            if let last = state.last, now < last.end { return (last.value, nil) }
            if let running = state.running { return (nil, running) }
            let task = Task { await answer() }
            state.running = task
            return (nil, task)
        }
        if let known { return known }
        return if let task { await task.value } else { await work() }
    }

    private func answer() async -> Value {
        let value = await work()
        let end = time.now + keptFor
        state.withLock { state in
            state.running = nil
            state.last = (value, end)
        }
        return value
    }
}
