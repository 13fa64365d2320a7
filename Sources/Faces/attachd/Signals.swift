import UnixSignals

/// SIGINT and SIGTERM, for commands that end something when they are told to stop.
enum Signals {
    /// Runs `body` to its end, or cancels it when the process is told to stop; then `nil` comes back.
    static func untilToldToStop<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
