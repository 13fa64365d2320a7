package import Dispatch

extension DispatchQueue {
    /// Does work that may wait for the disk, off Swift's own threads.
    package func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.async { continuation.resume(returning: work()) }
        }
    }
}
