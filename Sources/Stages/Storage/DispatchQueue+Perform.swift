package import Dispatch

extension DispatchQueue {
    /// Does work that may wait for the disk on this queue instead of Swift's threads.
    package func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.async { continuation.resume(returning: work()) }
        }
    }
}
