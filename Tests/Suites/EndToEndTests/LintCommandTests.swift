import Foundation
import Payloads
import Support
import Testing

@Suite("attachd lint", .timeLimit(.minutes(10)))
struct LintCommandTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private func write(_ content: String, to name: String = "payload.json") throws -> String {
        let file = attachd.folder.url.appending(path: name)
        try Data(content.utf8).write(to: file)
        return file.path
    }

    private static let broken = #"{"aps":{"alert":"Hi"},"my-attachment":"http://media.example.com/a.webp"}"#
    private static let clean =
        #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://media.example.com/a.jpg"}"#

    @Test("errors are named with what to do and where it is written, and the status is 1")
    func errors() async throws {
        let outcome = try await attachd.run(["lint", try write(Self.broken)])
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
        let heads = outcome.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(
            heads == [
                "error mutableContentMissing at /my-attachment", "error insecureURL at /my-attachment",
                "error formatUnsupported at /my-attachment",
            ]
        )
        #expect(outcome.output.contains("  do:   Set mutable-content of aps to 1"))
        #expect(outcome.output.contains("  see:  https://developer.apple.com/documentation/"))
    }

    @Test("warnings alone leave the status at 0, from standard input too")
    func warnings() async throws {
        let payload = Self.clean.replacing("media.example.com", with: "192.168.1.2")
        let outcome = try await attachd.run(["lint", "-"], input: Array(payload.utf8))
        #expect(outcome.status == 0 && outcome.output.hasPrefix("warning addressUnreachable at /my-attachment\n"))
        let clean = try await attachd.run(["lint"], input: Array(Self.clean.utf8))
        #expect(clean.status == 0 && clean.output == "Nothing found.\n")
    }

    @Test("JSON has the findings and how many of each severity there are")
    func json() async throws {
        let outcome = try await attachd.run(["lint", "--json", try write(Self.broken)])
        #expect(outcome.status == 1)
        let json = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(json["errors"] == 3 && json["warnings"] == 0 && json["notes"] == 0)
        let first = try #require(json.value(at: try JSONPointer("/findings/0")))
        #expect(first["code"] == "mutableContentMissing" && first["pointer"] == "/my-attachment")
        for key in ["severity", "meaning", "advice", "source"] { #expect(first[key]?.text?.isEmpty == false) }
    }

    @Test("the size limit is that of the push type, and the dialect that which is asked for")
    func options() async throws {
        let filler = String(repeating: "x", count: 4_200)
        let payload = try write(Self.clean.dropLast() + #","filler":"\#(filler)"}"#)
        #expect(try await attachd.run(["lint", payload]).status == 1)
        #expect(try await attachd.run(["lint", payload, "--push-type", "voip"]).status == 0)
        let pinned = try await attachd.run(["lint", try write(Self.broken), "--dialect", "braze"])
        #expect(pinned.status == 0 && pinned.output.hasPrefix("warning attachmentMissing\n"))
    }

    @Test("categories with a content extension are those of the configuration")
    func categories() async throws {
        let samples = SharedMedia.packageRoot.appending(path: "Samples")
        let payload = samples.appending(path: "payloads/event-invite.json").path
        let configuration = samples.appending(path: "preview/attachd.yaml").path
        #expect(try await !attachd.run(["lint", payload]).output.contains("categoryHidesThumbnail"))
        let outcome = try await attachd.run(["lint", payload, "--config", configuration])
        #expect(outcome.status == 0 && outcome.output.contains("warning categoryHidesThumbnail at /my-attachment"))
    }

    @Test(
        "every sample has no errors",
        arguments: [
            "airship", "animation", "braze", "event-invite", "fcm-message", "gorush", "home-assistant", "local",
            "message", "onesignal", "photo", "sound", "video",
        ]
    )
    func samples(name: String) async throws {
        let file = SharedMedia.packageRoot.appending(path: "Samples/payloads/\(name).json")
        let outcome = try await attachd.run(["lint", file.path])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test("what cannot be checked has the statuses of other commands")
    func refusals() async throws {
        #expect(try await attachd.run(["lint", try write("{")]).status == 65)
        #expect(try await attachd.run(["lint", try write(#"{"a":1}"#)]).status == 65)
        #expect(try await attachd.run(["lint", "/nothing/here.json"]).status == 66)
        #expect(try await attachd.run(["lint", try write(Self.clean), "--dialect", "nokia"]).status == 78)
        #expect(try await attachd.run(["lint", "--push-type", "fax"]).status == 64)
    }

    @Test("no value of the payload begins a line")
    func oneLine() async throws {
        let type = #"video/mp4\nerror forged"#
        let payload =
            #"{"aps":{"alert":"Hi","mutable-content":1},"_wp":{"attachments":[{"url":"https://a.example/a.jpg","#
            + #""type":"\#(type)"}]}}"#
        let outcome = try await attachd.run(["lint", try write(payload)])
        #expect(outcome.status == 1 && outcome.output.contains("typeMismatch"))
        #expect(!outcome.output.split(separator: "\n").contains { $0.hasPrefix("error forged") })
    }

    @Test("remarks are in the result, and what went wrong with the sender's URL is among them")
    func remarks() async throws {
        let outcome = try await attachd.process(payload: Self.broken)
        #expect(outcome.outcome == "original")
        #expect(outcome.value("/remarks/0")?.text?.hasPrefix("mutableContentMissing: /my-attachment: ") == true)
    }
}
