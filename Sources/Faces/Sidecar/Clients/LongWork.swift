import Dispatch
import HTTPTypes
import Payloads

/// The work on requests that may take over a millisecond: reading lists and long bodies, and all that is done with them
/// between their waits.
///
/// It runs on one thread of its own. On Swift's thread pool, which has one thread for each core, a few lists at a time
/// make every other answer late.
final class LongWork: TaskExecutor {
    /// The size of a body, in bytes, from which on the work with it counts as long.
    static let byteLimit = 16_384

    private static let isHere = DispatchSpecificKey<Bool>()

    /// A Boolean value that indicates whether the caller runs on such a thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: isHere) == true }

    private let queue = DispatchQueue(label: "requests", qos: .utility)
    /// The places for bodies that wait to be read, or are being read.
    let places: SharedAdmission

    init(places: Int) {
        self.places = SharedAdmission(limit: places)
        queue.setSpecific(key: Self.isHere, value: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Reads a body of `byteCount` bytes: here if that is quick, on the thread of long work if not.
    func read<Value: Sendable>(
        _ byteCount: Int,
        from client: ClientAddress,
        _ read: @Sendable () throws -> Value,
    ) async throws -> Value {
        guard byteCount > Self.byteLimit else { return try read() }
        return try await self.read(from: client, read)
    }

    /// Does `read` on the thread of long work. Throws if too many others wait for it already.
    func read<Value: Sendable>(from client: ClientAddress, _ read: @Sendable () throws -> Value) async throws -> Value {
        guard places.enter(client) else {
            let detail = "Too many lists and long bodies already wait to be parsed. Try again shortly."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { places.leave(client) }
        return try await perform { try read() }
    }

    /// Does the work with a body of `byteCount` bytes that has a permit: here if that is quick, on the thread of long work
    /// if not.
    func perform<Value: Sendable>(
        _ byteCount: Int,
        _ work: @concurrent @Sendable () async throws -> Value,
    ) async throws -> Value {
        guard byteCount > Self.byteLimit else { return try await work() }
        return try await perform(work)
    }

    /// Does `work`, which has a permit, on the thread of long work. What it awaits may run elsewhere.
    func perform<Value: Sendable>(_ work: @concurrent @Sendable () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await work() }
    }
}
