package import Concurrency

extension WakeUp {
    /// Waits for the next call, but not longer than until `end`.
    package func wait(until end: Instant, on time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.wait() }
            group.addTask { try await time.sleep(until: end) }
            try await group.next()
        }
    }
}
