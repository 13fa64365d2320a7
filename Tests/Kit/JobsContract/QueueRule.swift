import Testing

/// A rule of every job queue, and its test. The tests of each engine check all rules.
package struct QueueRule: Sendable, CustomTestStringConvertible {
    let text: String
    private let test: @Sendable (Queues) async throws -> Void

    init(_ text: String, test: @Sendable @escaping (Queues) async throws -> Void) {
        self.text = text
        self.test = test
    }

    package static let all =
        enqueueing + leasing + tenants + losing + answering + deadLetters + callingBack + listing + scaling + lasting

    package var testDescription: String { text }

    /// Checks the rule, and closes the store whatever the outcome.
    package func check(_ store: any QueueStore) async throws {
        do {
            try await test(Queues(store: store))
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }
}
