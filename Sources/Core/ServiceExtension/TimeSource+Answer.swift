import Concurrency
import Media
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
        var tasks: [Task<Void, Never>] = []
        let first = await FirstAnswer.wait { answer in
            let worker = Task { answer.give(await work()) }
            let timer = Task {
                // Only the other answer cuts the sleep short.
                guard (try? await sleep(until: expiry)) != nil else { return }
                answer.give(fallback())
            }
            tasks = [worker, timer]
        }
        for task in tasks { task.cancel() }
        return first
    }
}
