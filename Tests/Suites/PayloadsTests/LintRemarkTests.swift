import Testing

@testable import Payloads

@Suite("A finding as a remark")
struct LintRemarkTests {
    @Test("names of the payload can neither forge a line nor steer a terminal")
    func oneLine() {
        let pointer = JSONPointer(tokens: ["\u{1B}]0;owned\u{7}\nerror: b", "url"])
        let finding = LintFinding(.fileURL, .error, at: pointer, "It is local.", advice: "", source: "RFC 8089")
        #expect(!finding.remark.unicodeScalars.contains { $0.value < 0x20 })
        #expect(finding.remark.hasPrefix("fileURL: /"))
        #expect(finding.remark.hasSuffix("It is local."))
    }

    @Test("is short, however long the names are")
    func short() {
        let pointer = JSONPointer(tokens: [String(repeating: "x", count: 60_000)])
        let finding = LintFinding(.fileURL, .error, at: pointer, "It is local.", advice: "", source: "RFC 8089")
        #expect(finding.remark.utf8.count < 1100)
    }
}
