package import Dispatch

extension DispatchQueue {
    /// Does work that may block, such as disk access, outside of Swift's thread pool.
    package func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withWaiter { waiter in
            self.async { waiter.resume(returning: work()) }
        }
    }
}
