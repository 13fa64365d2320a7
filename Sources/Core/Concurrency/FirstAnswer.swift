import Synchronization

/// A question that several tasks may answer. The first answer counts, the later ones are dropped.
package final class FirstAnswer<Value: Sendable>: Sendable {
    private let waiter: Mutex<Waiter<Value>?>

    private init(_ waiter: Waiter<Value>) { self.waiter = Mutex(waiter) }

    package func give(_ value: Value) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the first answer. Cancellation does not end the wait.
    ///
    /// - Parameter ask: Starts the tasks that answer. It is called at once.
    /// - Returns: The first answer.
    package static func wait(_ ask: (FirstAnswer) -> Void) async -> Value {
        await withWaiter { ask(FirstAnswer($0)) }
    }
}
