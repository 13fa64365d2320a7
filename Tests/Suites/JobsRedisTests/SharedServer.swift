import Support
import Testing

/// A trait that starts a server before a suite's first test, and ends it after the last.
struct SharedServer: SuiteTrait, TestScoping {
    @TaskLocal private static var current: RedisServer?

    var usesTLS = false

    /// Returns the server of the current suite.
    static func get() throws -> RedisServer { try #require(current) }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing tests: @Sendable @concurrent () async throws -> Void,
    ) async throws {
        let server = try RedisServer(usesTLS: usesTLS)
        defer { server.kill() }
        try await Self.$current.withValue(server, operation: tests)
    }
}

extension Trait where Self == SharedServer {
    static var sharedServer: Self { SharedServer() }
    static var sharedServerWithTLS: Self { SharedServer(usesTLS: true) }
}
