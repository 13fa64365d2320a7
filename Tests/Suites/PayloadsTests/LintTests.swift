import Foundation
import Media
import Payloads
import Support
import Testing

@Suite("Linter")
struct LintTests {
    /// 2026-11-22, 00:00 UTC.
    static let now = 1_795_305_600
    static let linter = PayloadLinter(now: now, extensionCategories: ["event-invite": true])

    /// A broken payload and its findings.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let json: JSONValue

        static let all: [Case] = {
            let folder = Bundle.module.resourceURL?.appending(path: "Golden/Lint")
            let files = folder.flatMap {
                try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
            }
            return (files ?? []).compactMap { file in
                guard let data = try? Data(contentsOf: file), let json = try? JSONValue(parsing: [UInt8](data)) else {
                    fatalError("\(file.path) is not JSON")
                }
                return Case(testDescription: file.deletingPathExtension().lastPathComponent, json: json)
            }
            .sorted { $0.testDescription < $1.testDescription }
        }()
    }

    static func request(_ payload: JSONValue, _ pushType: PushType = .alert) throws -> NotificationRequest {
        try PayloadReader().read(payload, identifier: "n", pushType: pushType)
    }

    /// Returns the members of findings that a golden file has.
    private static func short(_ findings: [LintFinding]) -> JSONValue {
        .array(
            findings.map { finding in
                [
                    "code": .string(finding.code.rawValue), "severity": .string(finding.severity.rawValue),
                    "pointer": finding.pointer.map { .string($0.description) } ?? .null,
                ]
            }
        )
    }

    @Test("each broken payload has exactly the findings of its golden file", arguments: Case.all)
    func broken(example: Case) throws {
        let pushType = try example.json["pushType"]?.text.map { try #require(PushType(rawValue: $0)) }
        let request = try Self.request(try #require(example.json["payload"]), pushType ?? .alert)
        let findings = Self.linter.findings(in: request)
        #expect(Self.short(findings) == example.json["findings"])
        for finding in findings {
            #expect(finding.meaning.hasSuffix(".") && (finding.advice.isEmpty || finding.advice.hasSuffix(".")))
            #expect(finding.source.hasPrefix("https://") || finding.source == "docs/dialects.md")
        }
    }

    @Test("there are 25 broken payloads at least, and one for each code")
    func coverage() throws {
        #expect(Case.all.count >= 25)
        let codes = Case.all.flatMap { example -> [String] in
            guard case .array(let findings)? = example.json["findings"] else { return [] }
            return findings.compactMap { $0["code"]?.text }
        }
        #expect(Set(codes) == Set(LintCode.allCases.map(\.rawValue)))
    }

    @Test("the samples have no errors", arguments: SampleTests.names)
    func samples(name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: SampleTests.folder.appending(path: name)))
        let findings = Self.linter.findings(in: try PayloadReader().read(bytes, identifier: "n"))
        #expect(findings.filter { $0.severity == .error } == [])
    }

    @Test("a plain payload with a plain URL has no findings")
    func clean() throws {
        let payload = #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://media.example.com/a.jpg"}"#
        #expect(Self.linter.findings(in: try PayloadReader().read(Array(payload.utf8), identifier: "n")) == [])
    }

    @Test("a Live Activity needs no mutable mark, no alert and no attachment")
    func liveActivity() throws {
        let payload: JSONValue = ["aps": ["event": "update", "content-state": ["picture": "https://a.example/a.jpg"]]]
        #expect(Self.linter.findings(in: try Self.request(payload)) == [])
    }

    @Test("the page lists every code with its severity, and no other code")
    func page() throws {
        let file = SharedMedia.packageRoot.appending(path: "docs/lint.md")
        let rows = try String(contentsOf: file, encoding: .utf8).matches(of: /(?m)^\| `([A-Za-z]+)` \| ([a-z, ]+) \|/)
        #expect(rows.map { String($0.1) } == LintCode.allCases.map(\.rawValue))
        let severities = LintFinding.Severity.allCases.map(\.rawValue)
        for row in rows { #expect(row.2.split(separator: ", ").allSatisfy { severities.contains(String($0)) }) }
    }
}
