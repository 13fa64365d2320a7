import Foundation
import Payloads
import Support
import Testing

/// Tests of sources that end their decoders, through the whole program, with a decoder that obeys its source.
@Suite("Sources that end their decoders", .timeLimit(.minutes(10)))
struct CrashedSourcesTests {
    /// Returns `order` behind the first bytes of a JPEG.
    private static func source(_ order: String) -> [UInt8] { [0xFF, 0xD8, 0xFF] + Array("\(order)\n".utf8) + [0] }

    private func reason(_ answer: HTTPClient.Answer) throws -> String? {
        let pointer = try JSONPointer("/errors/0/reason")
        return try JSONValue(parsing: answer.body).value(at: pointer)?.text
    }

    @Test(
        "S10: such a source that is sent ten times is decoded once and called corrupt",
        arguments: ["crash", "leave"]
    )
    func once(order: String) async throws {
        let attachd = try AttachdProgram.withEvilDecoder()
        let origin = try OriginServer { _ in .body(Self.source(order)) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            for number in 0..<10 {
                // Sends the same URL five times, then other URLs with the same bytes.
                let answer = try await sidecar.post(origin.url("/\(max(4, number)).jpg"))
                #expect(try reason(answer) == "corrupt")
            }
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("\nattachd_zygote_replacements_total 1\n"))
            let deaths = metrics.split(separator: "\n").filter { $0.hasPrefix("attachd_decoder_deaths_total{") }
            #expect(deaths.contains("attachd_decoder_deaths_total{signal=\"6\"} 1") == (order == "crash"), "\(deaths)")
        }
    }

    @Test("S9: a forbidden system call is counted, and the worker goes on")
    func forbiddenCall() async throws {
        let attachd = try AttachdProgram.withEvilDecoder()
        let origin = try OriginServer { _ in .body(Self.source("socket")) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let answer = try await sidecar.post(origin.url("/1.jpg"))
            #expect(try reason(answer) == "corrupt")
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("\nattachd_decoder_deaths_total{signal=\"31\"} 1\n"))
            let alive = try await sidecar.get("/livez")
            #expect(alive.status == 200)
        }
    }

    @Test(
        "S6: impossible numbers end only their decoder",
        arguments: ["describe 8 8 1 max", "make 16 8 1 max -"]
    )
    func numbers(order: String) async throws {
        let attachd = try AttachdProgram.withEvilDecoder()
        let origin = try OriginServer { _ in .body(Self.source(order)) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let answer = try await sidecar.post(origin.url("/1.jpg"))
            #expect(try reason(answer) == "decoderLied")
            let alive = try await sidecar.get("/livez")
            #expect(alive.status == 200)
        }
    }
}
