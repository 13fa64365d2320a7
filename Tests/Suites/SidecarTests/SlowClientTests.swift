import Base
import Media
import Sidecar
import Storage
import Support
import Testing

/// Tests of issue 15, section 7: slow clients hold nothing that others need. The limits are short here, and the tests
/// wait only for the sidecar.
@Suite("A slow client", .timeLimit(.minutes(10)))
struct SlowClientTests {
    private static let patience: ClientLimits = {
        var limits = ClientLimits()
        limits.headTime = .seconds(2)
        limits.bodyTime = .seconds(4)
        limits.slowTime = .milliseconds(500)
        limits.sendTime = .seconds(2)
        return limits
    }()
    /// Besides eight requests there are 64 connections, and no downloads.
    private static let connections = 72

    private static func head(_ byteCount: Int) -> String {
        "POST /v1/rewrite HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(byteCount)\r\n\r\n"
    }

    @Test(
        "that never ends its request is disconnected",
        arguments: [
            "", "P", "GET /livez HTTP/1.1\r\nHost: localhost\r\n", "GET /livez HTTP/1.1\r\nHost: localhost\r\nA: ",
        ]
    )
    func head(text: String) async throws {
        try await SidecarFixture.run(clients: Self.patience) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send(text)
            #expect(await connection.read() == "")
        }
    }

    @Test("that takes too long for its second header is disconnected, too")
    func secondHead() async throws {
        try await SidecarFixture.run(clients: Self.patience) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await connection.read { $0.hasSuffix("ok\n") }.hasPrefix("HTTP/1.1 200"))
            connection.send("GET /livez HT")
            #expect(await connection.read() == "")
        }
    }

    @Test(
        "does not decide when the process ends",
        arguments: ["P", "POST /v1/rewrite HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"]
    )
    func drain(text: String) async throws {
        var forever = ClientLimits()
        forever.headTime = .seconds(3600)
        forever.bodyTime = .seconds(3600)
        forever.slowTime = .milliseconds(100)
        forever.idleTime = .seconds(3600)
        let connection = try await SidecarFixture.run(clients: forever) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send(text)
            // Once a later connection has its answer, this one is open.
            let later = try RawConnection(port: sidecar.port)
            later.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await later.read { $0.hasSuffix("ok\n") }.hasPrefix("HTTP/1.1 200"))
            return connection
        }
        #expect(await connection.read() == "")
    }

    @Test("that never ends its body gets an error, and has held no permit")
    func body() async throws {
        try await SidecarFixture.run(requestLimit: 1, clients: Self.patience) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send(Self.head(100) + "{")
            let honest = try await sidecar.send("POST", "/v1/rewrite", SidecarServerTests.payload)
            #expect(honest.status == 200)
            let answer = await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 408") && answer.contains("application/problem+json"), "\(answer)")
        }
    }

    @Test("that drips its body gets no more time than one that stops")
    func drip() async throws {
        try await SidecarFixture.run(clients: Self.patience) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send(Self.head(60_000))
            connection.drip(" ")
            #expect(await connection.read().hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test("whose body continues after the answer is disconnected")
    func afterTheAnswer() async throws {
        try await SidecarFixture.run(token: "0123456789abcdef", clients: Self.patience) { sidecar in
            let connection = try RawConnection(port: sidecar.port)
            connection.send(Self.head(1_000_000_000))
            #expect(await connection.read().hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test("that waits for an earlier request's answer isn't slow")
    func pipelined() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(clients: Self.patience, started: started, hold: hold) { sidecar in
            let payload = SidecarServerTests.payload
            let connection = try RawConnection(port: sidecar.port)
            connection.send(
                Self.head(payload.utf8.count) + payload + Self.head(payload.utf8.count) + payload.prefix(20)
            )
            await started.wait()
            // Another request's whole time passes.
            let other = try RawConnection(port: sidecar.port)
            other.send(Self.head(100) + "{")
            #expect(await other.read().hasPrefix("HTTP/1.1 408"))
            hold.send()
            #expect(await connection.read { $0.contains("0\r\n\r\n") || $0.hasSuffix("}") }.hasPrefix("HTTP/1.1 200"))
            connection.send(String(payload.dropFirst(20)))
            #expect(await connection.read { $0.hasSuffix("}") }.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("that doesn't read its answer is disconnected, and one that reads it gets all of it")
    func answer() async throws {
        let preview = try await PreviewFixture()
        let bytes = [UInt8](repeating: 7, count: 40_000_000)
        let file = try await preview.store.store(ReadyRung(bytes)).identifier
        let url = preview.store.urls(below: "").url(of: file, expires: (preview.clock.now + .seconds(600)).seconds)
        try await SidecarFixture.run(clients: Self.patience, preview: preview) { sidecar in
            let lazy = try RawConnection(port: sidecar.port)
            lazy.send("GET \(url) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // The client reads nothing until the others are served and the sidecar has had time to notice.
            let eager = try await sidecar.send(url)
            #expect(eager.status == 200 && eager.body.count == bytes.count)
            let other = try RawConnection(port: sidecar.port)
            for _ in 0..<4 {
                let idle = try RawConnection(port: sidecar.port)
                #expect(await idle.read() == "")
            }
            _ = other
            #expect(await lazy.read().utf8.count < bytes.count)
        }
    }

    @Test("is disconnected when there are too many, and health is answered all the while")
    func full() async throws {
        var limits = ClientLimits()
        limits.headTime = .seconds(60)
        limits.bodyTime = .seconds(60)
        limits.slowTime = .milliseconds(50)
        try await SidecarFixture.run(downloadLimit: 0, clients: limits) { sidecar in
            var slow: [RawConnection] = []
            for index in 0..<(4 * Self.connections) {
                slow.append(try RawConnection(port: sidecar.port))
                slow[index].send(Self.head(100) + "{")
                if index % 24 == 0 {
                    #expect(try await sidecar.send("/livez").status == 200)
                    #expect(try await sidecar.send("/readyz").status == 200)
                }
            }
            // Once they are slow, any other client replaces them.
            try await eventually {
                let answer = try? await sidecar.send("POST", "/v1/rewrite", SidecarServerTests.payload)
                #expect([nil, 200, 503].contains(answer?.status))
                return answer?.status == 200
            }
            withExtendedLifetime(slow) {}
        }
    }

    @Test("has its own limit, which a busy gateway with whole requests doesn't reach")
    func perAddress() async throws {
        var limits = ClientLimits()
        limits.headTime = .seconds(60)
        limits.bodyTime = .seconds(60)
        limits.slowTime = .seconds(2)
        limits.slowPerAddress = 4
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(requestLimit: 40, clients: limits, started: started, hold: hold) { sidecar in
            let payload = SidecarServerTests.payload
            let busy = try (0..<32).map { _ in
                let connection = try RawConnection(port: sidecar.port)
                connection.send(Self.head(payload.utf8.count) + payload)
                return connection
            }
            await started.wait()
            let slow = try (0..<5).map { _ in
                let connection = try RawConnection(port: sidecar.port)
                connection.send(Self.head(100) + "{")
                return connection
            }
            // One of the five is disconnected for the others.
            let ended = await withTaskGroup(of: Int.self) { group in
                for (index, connection) in slow.enumerated() {
                    group.addTask {
                        _ = await connection.read()
                        return index
                    }
                }
                let first = await group.next()
                hold.send()
                for connection in slow { connection.endSending() }
                await group.waitForAll()
                return first
            }
            #expect(ended != nil)
            for connection in busy {
                #expect(await connection.read { $0.hasSuffix("}") }.hasPrefix("HTTP/1.1 200"))
            }
        }
    }
}
