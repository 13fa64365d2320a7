import Foundation
import Payloads
import Processing
import Support
import Testing

@testable import Sidecar

@Suite("Why nothing changed", .timeLimit(.minutes(10)))
struct VisibleOutcomeTests {
    private func rewrite(_ payload: String, _ sidecar: SidecarFixture) async throws -> HTTPClient.Answer {
        try await sidecar.send("POST", "/v1/rewrite", payload)
    }

    @Test(
        "an unchanged payload is original, with the reason",
        arguments: [
            (#"{"aps":{"alert":"Hi"}}"#, "attachmentMissing: "),
            (
                #"{"aps":{"alert":"Hi"},"my-attachment":"https://example.com/a.jpg"}"#,
                "mutableContentMissing: "
            ),
            (#"[{"aps":{"alert":"Hi"}}]"#, "attachmentMissing: "),
            (
                #"[{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"https://a/a.jpg"},7]"#,
                "attachmentMissing: "
            ),
        ]
    )
    func unchanged(payload: String, reason: String) async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await rewrite(payload, sidecar)
            #expect(answer.status == 200 && answer.headers["attachd-outcome"] == "original")
            let header = answer.headers["attachd-reason"] ?? "none"
            #expect(header.hasPrefix(reason) && header.utf8.count <= 200 && !header.contains("://a"), "\(header)")
        }
    }

    @Test("a payload that is sent again as it was answered is original, and nothing is wrong with it")
    func again() async throws {
        try await SidecarFixture.run { sidecar in
            let first = try await rewrite(SidecarServerTests.payload, sidecar)
            #expect(first.headers["attachd-outcome"] == "complete" && first.headers["attachd-reason"] == nil)
            let second = try await rewrite(first.text, sidecar)
            if second.text == first.text {
                #expect(second.headers["attachd-outcome"] == "original")
            } else {
                #expect(second.headers["attachd-outcome"] == "complete")
            }
        }
    }

    @Test(
        "a reason is printable ASCII, has no URL, and is cut",
        arguments: [
            (
                "httpStatus: https://me:pass@media.example:8443/a?key=1 answered with 404.",
                "httpStatus: media.example:8443 answered with 404."
            ),
            ("a: \"https://a.example/x\", data:image/png;base64,AAAA is long", "a: a.example data is long"),
            (
                "invalidURL: it does not begin with https:// or http://.",
                "invalidURL: it does not begin with https:// or http://."
            ),
            ("keyMisspelled: Größe\r\nX: 1", "keyMisspelled: Gr??e X: 1"),
        ]
    )
    func text(_ text: String, expected: String) {
        #expect(VisibleOutcome.headerText(text) == expected)
        let long = VisibleOutcome.headerText(String(repeating: "é ", count: 500))
        #expect(long.utf8.count == 200 && long.hasSuffix("..."))
    }

    @Test("no message of a failure loses a word")
    func messages() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let pattern = /AttachmentFailure\(\s*\.\w+,\s*\.\w+,\s*"((?:[^"\\]|\\.)*)"/
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: pattern) {
                // A message may be joined of several texts.
                let message = match.1.replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "x")
                    .replacing(#"\""#, with: "\"").trimmingCharacters(in: .whitespaces)
                count += 1
                let text = VisibleOutcome.headerText("stalled: \(message)")
                #expect(
                    text == "stalled: \(message)" || text.hasSuffix("...") && message.count > 180,
                    "\(file.lastPathComponent)"
                )
            }
        }
        #expect(count > 50)
    }

    @Test("of a list, the first reason of the worst outcome counts")
    func worst() {
        var (fine, poor, bad) = (Self.original("a"), Self.original("b"), Self.original("c"))
        (fine.outcome, poor.outcome) = (.complete, .degraded)
        #expect(VisibleOutcome.worst(of: [fine, poor, poor]) == poor)
        #expect(VisibleOutcome.worst(of: [fine, bad, poor, Self.original("d")]) == bad)
        bad.reason = nil
        #expect(VisibleOutcome.worst(of: [bad, Self.original("d")]) == Self.original("d"))
        #expect(VisibleOutcome.worst(of: []) == nil)
    }

    private static func original(_ text: String) -> VisibleOutcome {
        var problem = Problem.unreadable
        problem.detail = text
        return VisibleOutcome(of: problem)
    }
}
