/// The ports of servers that tests start.
package enum TestPort {
    /// Returns a port that nobody uses now.
    package static func free() throws -> Int {
        let server = try OriginServer { _ in .status(404) }
        defer { server.stop() }
        return server.port
    }
}
