import Base
import Jobs
import Media
import Support
import Testing

@testable import JobsRedis

@Suite("A connection to Redis", .needsRedis, .timeLimit(.minutes(10)))
struct RedisConnectionTests {
    private static func connection(
        _ server: RedisServer,
        host: String = "127.0.0.1",
        authorities: Bool = true,
        timeLimit: Duration = .seconds(20),
    ) throws -> RedisConnection {
        let settings = RedisSettings(
            host: host,
            port: server.port,
            usesTLS: server.authoritiesFile != nil,
            authoritiesFile: authorities ? server.authoritiesFile : nil,
            timeLimit: timeLimit,
            connectLimit: .seconds(20),
        )
        let opener = LinkOpener(
            settings,
            dialer: try RedisDialer(settings, time: SystemTime()),
            finder: nil,
            name: "test",
            preparation: [],
            check: nil,
            confirms: false,
        )
        return RedisConnection(opener, time: SystemTime())
    }

    private static func echo(_ text: String, on connection: RedisConnection) async throws -> String? {
        try await connection.send([RedisCommand("ECHO", text)])[0].text
    }

    @Test("a cancelled command leaves the replies of others to their callers")
    func cancellation() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let connection = try Self.connection(server)
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let asking = Task { try await Self.echo("\(number)", on: connection) }
                    if number % 3 == 0 {
                        asking.cancel()
                        _ = await asking.result
                    } else {
                        let text = try await asking.value
                        #expect(text == "\(number)")
                    }
                }
            }
        }
        await connection.leave()
    }

    @Test("a server that does not answer costs its time limit and the connection")
    func silence() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let connection = try Self.connection(server, timeLimit: .milliseconds(100))
        // The time may be too short even for a server that answers.
        try await eventually { (try? await Self.echo("before", on: connection)) != nil }
        server.pause()
        await #expect(throws: RedisError.lost("It did not answer in time.")) {
            try await Self.echo("while", on: connection)
        }
        server.resume()
        let patient = try Self.connection(server)
        #expect(try await Self.echo("after", on: patient) == "after")
        await connection.leave()
        await patient.leave()
    }

    @Test("a lost server is noticed in time, and found once it is back")
    func restart() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let hasty = try Self.connection(server, timeLimit: .milliseconds(50))
        let patient = try Self.connection(server)
        #expect(try await Self.echo("1", on: patient) == "1")
        server.kill()
        await #expect(throws: RedisError.self) { try await Self.echo("2", on: hasty) }
        await #expect(throws: RedisError.self) { try await Self.echo("3", on: hasty) }
        async let waiting = patient.send([RedisCommand("ECHO", "4")])
        try server.restart()
        // The command may have been sent in the last moment of the old connection.
        let early = try? await waiting[0].text
        #expect(early == nil || early == "4")
        #expect(try await Self.echo("5", on: patient) == "5")
        await hasty.leave()
        await patient.leave()
    }

    @Test("with TLS, the server must prove its identity")
    func certificates() async throws {
        let server = try RedisServer(usesTLS: true)
        let other = try RedisServer(usesTLS: true, certificateNames: "DNS:other.test")
        defer {
            server.kill()
            other.kill()
        }
        let right = try Self.connection(server)
        #expect(try await Self.echo("secret", on: right) == "secret")
        let strangers = try Self.connection(server, authorities: false, timeLimit: .milliseconds(200))
        await #expect(throws: RedisError.self) { try await Self.echo("secret", on: strangers) }
        let renamed = try ["127.0.0.1", "localhost"].map { host in
            try Self.connection(other, host: host, timeLimit: .milliseconds(200))
        }
        for connection in renamed {
            await #expect(throws: RedisError.self) { try await Self.echo("secret", on: connection) }
        }
        for connection in [right, strangers] + renamed { await connection.leave() }
    }

    @Test("at most the limit's number of commands wait")
    func limit() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let connection = try Self.connection(server)
        #expect(try await Self.echo("first", on: connection) == "first")
        server.pause()
        await withDiscardingTaskGroup { group in
            for _ in 0..<ReplyHandler.limit + 1 {
                group.addTask {
                    do {
                        _ = try await Self.echo("x", on: connection)
                    } catch {
                        // The first refusal lets all others go on.
                        guard case .error(let error) = error as? RedisError else { return }
                        #expect(error.reason == .unavailable)
                        server.resume()
                    }
                }
            }
        }
        await connection.leave()
    }

    @Test("a closed connection is not opened again")
    func leaving() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let connection = try Self.connection(server)
        await connection.leave()
        await #expect(throws: RedisError.self) { try await Self.echo("late", on: connection) }
    }
}
