import Support
import Testing

@testable import App

@Suite("The version of the program")
struct VersionTests {
    @Test(
        "the commit is what git archive wrote, and a working copy has none",
        arguments: [
            ("45ebb187266d01ef43a4362f9009fe901bdda187", true), (String(repeating: "0af", count: 22), true),
            ("$Format:%H$", false), ("", false), ("45ebb187266d", false),
            ("a branch's name of forty letters, or more", false),
        ]
    )
    func commit(text: String, isCommit: Bool) {
        #expect(Version.commit(inArchive: text) == (isCommit ? text : nil))
    }

    @Test("origins learn the version, and whom to ask")
    func userAgent() {
        #expect(Version.userAgent(contact: nil) == "attachd/\(Version.number)")
        #expect(Version.userAgent(contact: "a@b.example") == "attachd/\(Version.number) (+a@b.example)")
    }

    @Test("the commit is a part of the version's text if it is known")
    func text() {
        #expect(Version.description(commit: nil) == "attachd \(Version.number)")
        #expect(Version.description(commit: "45ebb187") == "attachd \(Version.number) (commit 45ebb187)")
    }
}
