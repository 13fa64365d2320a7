import Base
import HTTPClient
import NIOCore
import Support
import Testing

@testable import JobsRedis

@Suite("The name of a server", .timeLimit(.minutes(10)))
struct ServerAddressesTests {
    @Test("a server is reached by its name and by its address", .needsRedis, arguments: ["localhost", "127.0.0.1"])
    func reached(host: String) async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let dialer = try RedisDialer(RedisSettings(), time: SystemTime())
        let link = try await dialer.dial(HostAndPort(host: host, port: server.port), within: .seconds(20))
        link.close()
    }

    @Test("a name without addresses says why the server is not reached")
    func unknown() async throws {
        // Nobody listens on this port.
        let names = NameResolver(servers: "127.0.0.1:1")
        defer { names.stop() }
        let dialer = try RedisDialer(RedisSettings(), time: SystemTime(), names: names)
        for (host, reason) in [("redis.example", "The DNS servers failed."), ("no name", "Its name is not known.")] {
            await #expect(throws: RedisError.unreachable(reason)) {
                _ = try await dialer.dial(HostAndPort(host: host, port: 6379), within: .seconds(20))
            }
        }
    }
}
