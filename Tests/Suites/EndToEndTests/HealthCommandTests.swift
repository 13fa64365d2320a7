import Support
import Testing

@Suite("Health command", .timeLimit(.minutes(10)))
struct HealthCommandTests {
    private let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test("the status is 0 while attachd is ready, at the address that it listens on")
    func ready() async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            for address in ["127.0.0.1", "0.0.0.0", "localhost"] {
                let outcome = try await attachd.run(["health", "--listen", "\(address):\(sidecar.port)"])
                #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
            }
            var attachd = attachd
            attachd.environment = ["ATTACHD_LISTEN": "0.0.0.0:\(sidecar.port)"]
            #expect(try await attachd.run(["health"]).status == 0)
        }
    }

    @Test("the status is 1, with the reason, when attachd is not ready")
    func notReady() async throws {
        let origin = try OriginServer { _ in .status(503) }
        defer { origin.stop() }
        let outcome = try await attachd.run(["health", "--listen", "127.0.0.1:\(origin.port)"])
        #expect(outcome.status == 1 && outcome.errors.contains("503"), "\(outcome.errors)")
        #expect(origin.requests.map(\.path) == ["/readyz"])
    }

    @Test("the status is 1 when nothing answers: the question does not wait forever")
    func silence() async throws {
        let origin = try OriginServer { _ in .silence }
        let port = origin.port
        #expect(try await attachd.run(["health", "--listen", "127.0.0.1:\(port)"]).status == 1)
        origin.stop()
        let outcome = try await attachd.run(["health", "--listen", "127.0.0.1:\(port)"])
        #expect(outcome.status == 1 && outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome.errors)")
    }

    @Test("an address that is none is refused")
    func address() async throws {
        let outcome = try await attachd.run(["health", "--listen", "here"])
        #expect(outcome.status == 78 && outcome.errors.contains("HOST:PORT"), "\(outcome.errors)")
    }
}
