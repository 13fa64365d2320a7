import Foundation
import Payloads
import Support
import Testing

/// Sources that end their decoders, through the whole program, with the decoder that does what its source says.
@Suite("Sources that end their decoders", .timeLimit(.minutes(2)))
struct CrashedSourcesTests {
    /// Begins like a JPEG.
    private static func source(_ order: String) -> [UInt8] { [0xFF, 0xD8, 0xFF] + Array("\(order)\n".utf8) + [0] }

    private func reason(_ answer: HTTPClient.Answer) throws -> String? {
        let pointer = try JSONPointer("/errors/0/reason")
        return try JSONValue(parsing: answer.body).value(at: pointer)?.text
    }

    @Test("S10: one that is sent ten times is decoded once, and is said to be damaged", arguments: ["crash", "leave"])
    func once(order: String) async throws {
        let attachd = try AttachdProgram.withEvilDecoder()
        let origin = try OriginServer { _ in .body(Self.source(order)) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            for number in 0..<10 {
                // The same URL five times, then others with the same bytes.
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
        "S6: numbers that no source has end nothing but their decoder",
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
