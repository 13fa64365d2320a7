import Foundation
import Payloads
import Support
import Testing

@Suite("The log of notifications", .timeLimit(.minutes(10)))
struct NotificationLogTests {
    /// The log's lines about notifications.
    private func lines(_ sidecar: RunningSidecar) throws -> [JSONValue] {
        try sidecar.logged.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            .filter { $0["message"]?.text == "Notification finished." }
    }

    @Test("a failed source leaves a line with its host and the reason, and without its path and query")
    func failure() async throws {
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        try await RunningSidecar.run(try AttachdProgram()) { sidecar in
            _ = try await sidecar.post(origin.url("/secret-path.jpg?token=secret-token"))
            try await sidecar.waitForLog("Notification finished.")
            let line = try #require(try lines(sidecar).first)
            #expect(line["outcome"]?.text == "original" && line["level"]?.text == "info")
            #expect(line["source_host"]?.text == "127.0.0.1" && line["reason"]?.text == "httpStatus")
            #expect(line["dialect"]?.text == "my-attachment" && line["profile"]?.text == "apns")
            #expect(line["error"]?.text?.contains("404") == true)
            #expect(Int(line["margin_ms"]?.text ?? "") ?? 0 > 0 && line["bytes"]?.text == "0")
            #expect(line["time"]?.text?.hasSuffix("Z") == true)
            #expect(!sidecar.logged.contains("secret-"))
        }
    }

    @Test("one of many notifications is logged, if that is wanted")
    func sample() async throws {
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        try await RunningSidecar.run(try AttachdProgram(), ["--log-sample", "3"]) { sidecar in
            for number in 0..<7 { _ = try await sidecar.post(origin.url("/\(number).jpg")) }
            // The last lines are written a moment after the answers.
            try await eventually { try lines(sidecar).count >= 3 }
            #expect(try lines(sidecar).count == 3)
        }
    }

    @Test("a failing command says in one line what failed, and where")
    func command() async throws {
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/a.jpg"))"}"#
        let outcome = try await AttachdProgram().process(payload: payload)
        #expect(outcome.status == 0 && outcome.outcome == "original")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines.first?.hasPrefix("attachd: /my-attachment: ") == true)
        #expect(lines.first?.contains("404") == true)
    }
}
