import Foundation
import Payloads
import Support
import Testing

@Suite("Links in payloads", .timeLimit(.minutes(10)))
struct LinkTests {
    private let attachd: AttachdProgram
    private let origin: OriginServer

    init() throws {
        attachd = try AttachdProgram()
        let photo = SampleMedia.photo
        origin = try OriginServer { _ in .body(photo) }
    }

    private func result(_ options: [String] = [], warning: String) async throws -> JSONValue {
        defer { origin.stop() }
        var result = JSONValue.null
        try await RunningSidecar.run(attachd, options) { sidecar in
            result = try JSONValue(parsing: try await sidecar.post(origin.url("/photo.jpg")).body)
            #expect(sidecar.logged.contains(warning))
        }
        #expect(result["outcome"] == "complete")
        let file = try #require(result.value(at: try JSONPointer("/attachments/0/url"))?.text)
        #expect(file.hasPrefix("file://\(attachd.store)"))
        return result
    }

    @Test("without a way for phones to the files, the payload keeps the sender's URL, and the result names the file")
    func senders() async throws {
        let result = try await result(warning: "Payloads keep the sender's URLs")
        let payload = try #require(result["payload"])
        #expect(payload["my-attachment"]?.text == origin.url("/photo.jpg"))
        #expect(payload["attachments"] == nil)
        #expect(!String(decoding: payload.compactBytes, as: UTF8.self).contains("file:"))
    }

    @Test("a payload that goes out unchanged is counted and logged with the reason, and its answer has it")
    func unchanged() async throws {
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            for (url, reason) in [(origin.url("/photo.jpg"), "notPublished"), ("http://10.0.0.1/a", "refusedAddress")] {
                let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
                let answer = try await sidecar.send("POST", "/v1/rewrite", payload)
                #expect(answer.headers["attachd-outcome"] == "original")
                #expect(answer.headers["attachd-reason"]?.hasPrefix("\(reason):") == true)
                let metrics = try await sidecar.get("/metrics").text
                #expect(metrics.contains(#"attachd_unchanged_payloads_total{reason="\#(reason)"} 1"#))
                #expect(sidecar.logged.contains(#""unchanged":"\#(reason)""#))
            }
        }
    }

    @Test("the inline picture needs no way to the file, so the payload has it all the same")
    func inlinePicture() async throws {
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try Data("profile: phone\nprofiles: {phone: {inline: auto}}\n".utf8).write(to: file)
        let result = try await result(["--config", file.path], warning: "--public-url or --publish")
        let entry = try #require(result.value(at: try JSONPointer("/payload/attachments/0")))
        #expect(entry["inline"]?["thumbhash"] != nil && entry["inline"]?["data"] != nil)
        #expect(entry["identifier"] != nil && entry["url"] == nil)
        #expect(result.value(at: try JSONPointer("/payload/my-attachment"))?.text == origin.url("/photo.jpg"))
    }

    @Test("with --file-urls, the payload names the file on this machine, for a gateway that publishes it")
    func files() async throws {
        let result = try await result(["--file-urls"], warning: "Payloads get file: URLs")
        let url = try #require(result.value(at: try JSONPointer("/payload/my-attachment"))?.text)
        #expect(url.hasPrefix("file://\(attachd.store)"))
    }

    @Test("a Live Activity gets the inline picture in its state")
    func liveActivity() async throws {
        defer { origin.stop() }
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        let profile = "{inline: auto, inlinePointer: /aps/content-state/picture}"
        try Data("profiles: {activity: \(profile)}\n".utf8).write(to: file)
        let payload = #"{"aps":{"event":"update","content-state":{"picture":"\#(origin.url("/photo.jpg"))","eta":5}}}"#
        try await RunningSidecar.run(attachd, ["--config", file.path]) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/v1/rewrite",
                payload,
                headers: ["Attachd-Profile": "activity"]
            )
            #expect(answer.headers["attachd-outcome"] == "complete")
            let state = try JSONValue(parsing: answer.body)["aps"]?["content-state"]
            #expect(state?["picture"]?["type"] == "image/jpeg" && state?["eta"] == 5)
            let data = try #require(state?["picture"]?["data"]?.text.flatMap { Data(base64Encoded: $0) })
            #expect(data.starts(with: [0xff, 0xd8]))
        }
    }

    @Test("doctor says what payloads name")
    func doctor() async throws {
        origin.stop()
        let none = try await attachd.run(["doctor"])
        #expect(none.output.contains("Payloads keep the sender's URLs"))
        let some = try await attachd.run(["doctor", "--public-url", "https://push.example"])
        #expect(some.output.contains("links below https://push.example"))
    }

    @Test("--file-urls beside --public-url, and an inlinePointer that cannot be used, are refused with advice")
    func refused() async throws {
        origin.stop()
        let both = try await attachd.run(["serve", "--file-urls", "--public-url", "https://push.example"])
        #expect(both.status == 78 && both.errors.contains("Leave out this option"))
        for (profile, advice) in [
            ("inline: auto, inlinePointer: picture", "a JSON pointer"), ("inlinePointer: /aps/x", "hash or auto"),
        ] {
            let file = attachd.folder.url.appending(path: "refused.yaml")
            try Data("profiles: {activity: {\(profile)}}\n".utf8).write(to: file)
            let outcome = try await attachd.run(["config", "check", file.path])
            #expect(outcome.status == 78 && outcome.errors.contains(advice), "\(outcome.errors)")
        }
    }
}
