import Base
import Jobs
import ServiceLifecycle

/// A small entry that the processes of a fleet share. Each of them reads it at intervals. Without a fleet, it does not exist.
struct FleetEntry: Sendable {
    let name: String
    let store: (any FleetStore)?
    let time: any TimeSource

    /// The time between two looks.
    static let interval: Duration = .seconds(5)
    /// The time limit of a question.
    private static let timeLimit: Duration = .seconds(2)

    /// Calls `look` at intervals, until the process ends. With `atOnce`, also calls it now.
    func watch(atOnce: Bool = false, _ look: @escaping @Sendable () async -> Void) async throws {
        guard store != nil else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            if atOnce { await look() }
            while (try? await time.sleep(for: Self.interval)) != nil { await look() }
        }
    }

    func read() async throws -> [UInt8]? {
        guard let store else { return nil }
        return try await answer { [name] in try await store.entry(name) }
    }

    func write(_ value: [UInt8], onlyIfMissing: Bool = false) async throws {
        guard let store else { return }
        try await answer { [name] in try await store.keep(value, as: name, onlyIfMissing: onlyIfMissing) }
    }

    private func answer<Value: Sendable>(_ question: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let late = JobQueueError(.unavailable, "The queue's server did not answer in time.")
        return try await time.answer(by: time.now + Self.timeLimit, orThrow: late, question)
    }
}
