import UnixSignals

/// The handling of SIGINT and SIGTERM for commands that clean up before they end.
enum Signals {
    /// Runs `body`. If the process is told to stop, cancels `body` and returns `nil`.
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
