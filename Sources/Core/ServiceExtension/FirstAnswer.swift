import Media
import Synchronization
package import Timing

extension TimeSource {
    /// Gives the answer of `work`, or at `expiry` the one of `fallback`: exactly one of them, whichever is first.
    ///
    /// Work that is late is cancelled and left behind. Nobody waits for it, so it may ignore the cancellation.
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
                // The sleep is cut short by nothing but the other answer.
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

/// Takes one answer. What comes later, on whatever thread, is dropped.
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
