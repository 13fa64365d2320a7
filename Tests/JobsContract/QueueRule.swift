import Testing

/// Something that every queue of jobs promises, and the test of it. Each engine's tests try all of them.
package struct QueueRule: Sendable, CustomTestStringConvertible {
    let text: String
    private let test: @Sendable (Queues) async throws -> Void

    init(_ text: String, test: @Sendable @escaping (Queues) async throws -> Void) {
        self.text = text
        self.test = test
    }

    package static let all =
        enqueueing + leasing + losing + answering + burying + callingBack + listing + lasting

    package var testDescription: String { text }

    /// Tries the rule; closes the store whatever comes of it.
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
