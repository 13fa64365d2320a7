import Concurrency

/// A signal to a conversion that time is nearly up. The decoder finishes the output that it is writing, and stops.
package final class ExpirySignal: Sendable {
    private let signal = OneShot<Void>()

    package init() {}

    package func expire() { signal.set() }

    /// Waits until `expire` is called, or the task is cancelled. Returns whether it was called.
    func wait() async -> Bool {
        _ = await signal.value()
        return signal.current != nil
    }
}
