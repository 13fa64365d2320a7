import Foundation
import Payloads
import Support
import Testing

@Suite("Origins that ask for a pause", .timeLimit(.minutes(10)))
struct OriginCareTests {
    @Test(
        "a tenant that asks for a pause gets it, and its neighbours don't if the configuration tells them apart"
    )
    func tenants() async throws {
        let origin = try OriginServer { request in
            var answer = OriginAnswer.status(429)
            answer.headers = [("Retry-After", "1000000000")]
            return request.path.hasPrefix("/evil/") ? answer : .status(404)
        }
        defer { origin.stop() }
        let attachd = try AttachdProgram()
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        let rule = "sources: {shared: {match: \"\(origin.url("/*"))\", tenantSegment: 1}}\n"
        try Data(rule.utf8).write(to: file)
        try await RunningSidecar.run(attachd, ["--config", file.path]) { sidecar in
            let start = ContinuousClock.now
            for path in ["/evil/a", "/evil/b", "/good/a"] {
                let result = try JSONValue(parsing: try await sidecar.post(origin.url(path)).body)
                #expect(result.value(at: try JSONPointer("/errors/0/reason"))?.text == "httpStatus")
            }
            let paths = origin.requests.map(\.path)
            #expect(paths.count { $0 == "/good/a" } == 1 && paths.last == "/good/a")
            #expect(paths.count <= 3 + Int((ContinuousClock.now - start) / .seconds(1)), "\(paths)")
        }
    }

    @Test("an origin that asks for a pause again and again is asked once a second, and the content goes out original")
    func leftAlone() async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.status(429)
            answer.headers = [("Retry-After", "3000")]
            return answer
        }
        defer { origin.stop() }
        try await RunningSidecar.run(try AttachdProgram()) { sidecar in
            let start = ContinuousClock.now
            for number in 0..<3 {
                let result = try JSONValue(parsing: try await sidecar.post(origin.url("/\(number).jpg")).body)
                #expect(result["outcome"]?.text == "original")
                #expect(result.value(at: try JSONPointer("/errors/0/reason"))?.text == "httpStatus")
                #expect(result.value(at: try JSONPointer("/errors/0/code")) == .integer(100))
            }
            #expect(origin.requests.count <= 2 + Int((ContinuousClock.now - start) / .seconds(1)))
            let metrics = try await sidecar.get("/metrics").text
            for line in ["attachd_origins 1\n", "attachd_origin_requests_in_flight 0\n"] {
                #expect(metrics.contains(line), "\(line) \(metrics)")
            }
        }
    }
}
