import Media
import Synchronization
package import Timing

extension TimeSource {
    /// Returns the answer of `work`, or at `expiry` that of `fallback`, whichever is first.
    ///
    /// Late work is cancelled and left behind. No caller waits for it, so it may ignore the cancellation.
    package func answer<Value: Sendable>(
        by expiry: Instant,
        _ work: @escaping @Sendable () async -> Value,
        else fallback: @escaping @Sendable () -> Value,
    ) async -> Value {
        let race = Mutex<[Task<Void, Never>]>([])
        let first = await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            let answer = Once(continuation)
            let worker = Task { answer(await work()) }
            let timer = Task {
                // Only the other answer cuts the sleep short.
                guard (try? await sleep(until: expiry)) != nil else { return }
                answer(fallback())
            }
            race.withLock { tasks in tasks = [worker, timer] }
        }
        let tasks = race.withLock { tasks in tasks }
        for task in tasks { task.cancel() }
        return first
    }
}

/// A slot for one answer. Later answers are dropped, on whatever thread they come.
private final class Once<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    func callAsFunction(_ value: Value) {
        let first = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        first?.resume(returning: value)
    }
}
