import Base
import Foundation
import Media
import Payloads
import Support
import Testing

@Suite("Built-in and user-defined dialects and profiles", .timeLimit(.minutes(10)))
struct DialectListingTests {
    static let configuration = """
        dialects:
          shop:
            url: [/shop/media/*/href, /shop~1image]
            identifier: /shop/media/*/id
            type: /shop/media/*/kind
            typeForm: mime
        profiles:
          banner:
            basedOn: apns
            categories: [PHOTO, ALBUM]
            cropToClippingRectangle: true
            formats: [webp, jpeg]
            inline: auto
            image: {longEdge: 600, aspectRatio: 3:2, byteBudget: 60000, keepTransparency: false}
            animation: false
            video: {duration: 5s, byteLimit: 1000000}
            audio: false
          watch:
            categories: WRIST
            inline: off
            image:
              longEdge: 128
              byteLimit: 20000
        """

    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private func write(_ content: String, to name: String = "attachd.yaml") throws -> String {
        let file = attachd.folder.url.appending(path: name)
        try Data(content.utf8).write(to: file)
        return file.path
    }

    /// Returns the lines of a table as lists of words.
    private static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test("dialects lists every path of every dialect, and every rule of every profile")
    func list() async throws {
        let outcome = try await attachd.run(["dialects"])
        let rows = Self.rows(outcome.output)
        #expect(outcome.status == 0)
        for dialect in Dialect.builtIn {
            for path in dialect.paths {
                let row = [dialect.name, path.url.description, path.profile ?? "-"]
                #expect(rows.contains { Array($0.prefix(3)) == row }, "\(row)")
            }
        }
        #expect(rows.contains(["apns", "image.longEdge", "1038"]))
        #expect(rows.contains(["fcm", "animation", "false"]))
        #expect(rows.contains(["webpush", "image.aspectRatio", "2:1"]))
    }

    @Test("dialects lists the configured dialects before the built-in ones")
    func ownList() async throws {
        let outcome = try await attachd.run(["dialects", "--config", try write(Self.configuration)])
        let rows = Self.rows(outcome.output)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            rows.dropFirst().prefix(2).map { $0.prefix(2) } == [
                ["shop", "/shop/media/*/href"], ["shop", "/shop~1image"],
            ]
        )
        for row in [
            ["banner", "formats", "webp,", "jpeg"], ["watch", "formats", "jpeg"],
            ["banner", "inline", "auto"], ["watch", "inline", "off"],
            ["banner", "image.longEdge", "600"], ["banner", "image.aspectRatio", "3:2"],
            ["banner", "image.byteBudget", "60000"], ["banner", "image.byteLimit", "10000000"],
            ["banner", "animation", "false"], ["banner", "video.duration", "5.0s"],
            ["banner", "video.longEdge", "720"], ["banner", "video.byteBudget", "1000000"],
            ["banner", "audio", "false"],
            ["banner", "cropToClippingRectangle", "true"],
            ["banner", "categories", "PHOTO,", "ALBUM"], ["watch", "categories", "WRIST"],
            ["watch", "image.byteBudget", "20000"], ["watch", "animation.longEdge", "1038"],
        ] {
            #expect(rows.contains(row), "\(row)")
        }
    }

    @Test("the sample configuration scales a photo for the sample payload's category")
    func sample() async throws {
        let samples = SharedMedia.packageRoot.appending(path: "Samples")
        let photo = samples.appending(path: "media/photo.jpg").path
        let payload = try String(contentsOf: samples.appending(path: "payloads/photo.json"), encoding: .utf8)
            .replacing("http://127.0.0.1:8099/photo.jpg", with: photo)
        let file = samples.appending(path: "attachd.yaml").path
        let outcome = try await attachd.process(payload: payload, ["--config", file])
        #expect(outcome.outcome == "complete", "\(outcome.errors)")
        #expect(outcome.number("/attachments/0/width") == 800 && outcome.number("/attachments/0/height") == 600)
    }

    @Test("JSON is read like YAML, and duplicate keys are refused")
    func json() async throws {
        let json = #"{"profiles": {"banner": {"image": {"longEdge": 600}, "categories": ["PHOTO"]}}}"#
        let outcome = try await attachd.run(["dialects", "--config", try write(json, to: "attachd.json")])
        #expect(outcome.status == 0 && Self.rows(outcome.output).contains(["banner", "image.longEdge", "600"]))
        let twice = try write("profile: apns\nprofile: fcm\n")
        #expect(try await attachd.run(["dialects", "--config", twice]).status == 78)
    }

    @Test(
        "an invalid configuration file is refused, with the position and a valid alternative",
        arguments: [
            ("deadlin: 5s", "did you mean \"deadline\"?"),
            ("store: /tmp/x\nallow-addresses: [127.0.0.1]", "allow-addresses: There is no such key (line 2)"),
            ("nonsense: 1", "write one of"),
            ("profiles: {banner: {image: {longEdg: 600}}}", "profiles.banner.image.longEdg"),
            ("profiles: {banner: {image: {longEdge: wide}}}", "a whole number from 64"),
            ("profiles: {banner: {image: {longEdge: 0}}}", "a whole number from 64"),
            ("profiles: {banner: {image: {aspectRatio: wide}}}", "2:1"),
            ("profiles: {banner: {image: {byteLimit: 5000, byteBudget: 6000}}}", "at most the byteLimit, 5000"),
            ("profiles: {banner: {image: 600}}", "The value is not a table of keys and values"),
            ("profiles: {banner: {animation: true}}", "profiles.banner.animation"),
            ("profiles: {banner: {video: {duration: long}}}", "such as 10s"),
            ("profiles: {banner: {basedOn: nokia}}", "apns, fcm, webpush"),
            ("profiles: {banner: {cropToClippingRectangle: 7}}", "true or false"),
            ("profiles: {banner: {categories: []}}", "profiles.banner.categories"),
            ("profiles: {\"\": {}}", "The name is taken"),
            ("profiles: {a: {categories: X}, b: {categories: [X, Y]}}", "profiles.b.categories"),
            ("profiles: [banner]", "The value is not a table of keys and values"),
            ("dialects: {shop: {}}", "it has no url"),
            ("dialects: {shop: {url: image}}", "is not a JSON pointer"),
            ("dialects: {shop: {url: /u, typeForm: word}}", "same, uti, mime, extension"),
            ("dialects: {shop: {url: /u, typ: /t}}", "did you mean \"type\"?"),
            ("dialects: {onesignal: {url: /u}}", "The name is taken"),
            ("profile: banner", "apns, fcm, webpush"),
        ]
    )
    func refused(content: String, words: String) async throws {
        let outcome = try await attachd.run(["dialects", "--config", try write(content + "\n")])
        #expect(outcome.status == 78 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("a user-defined dialect is found, its type field stays true, and the category selects a user-defined profile")
    func ownEndToEnd() async throws {
        let photo = SampleMedia.photo
        let origin = try OriginServer { _ in .body(photo) }
        defer { origin.stop() }
        let payload = """
            {"aps":{"mutable-content":1,"alert":"Hi","category":"ALBUM"},\
            "shop":{"media":[{"href":"\(origin.url("/a"))","id":"view","kind":"image/webp"}]}}
            """
        let file = try write(Self.configuration)
        let outcome = try await attachd.process(payload: payload, ["--config", file, "--explain"])
        #expect(outcome.outcome == "complete" && outcome.value("/attachments/0/identifier")?.text == "view")
        #expect(outcome.number("/attachments/0/width") == 600 && outcome.number("/attachments/0/height") == 400)
        #expect(outcome.number("/attachments/0/bytes").map { $0 <= 60_000 } == true)
        #expect(outcome.value("/payload/shop/media/0/kind")?.text == "image/jpeg")
        #expect(outcome.errors.contains("dialect shop, the most specific that finds an attachment"))
        #expect(outcome.errors.contains("profile banner, for the category \"ALBUM\": /shop/media/0/href"))
    }

    @Test("a clipping rectangle is cut out of the picture if the profile asks for it")
    func clipping() async throws {
        let photo = SampleMedia.photoURL.path
        let payload = """
            {"aps":{"mutable-content":1,"alert":"Hi"},"_wp":{"attachments":[{"url":"\(photo)","options":\
            {"UNNotificationAttachmentOptionsThumbnailClippingRectKey":{"X":0.5,"Y":0,"Width":0.25,"Height":1}}}]}}
            """
        let whole = try await attachd.process(payload: payload)
        #expect(whole.number("/attachments/0/width") == 1038)
        let file = try write("profiles: {cut: {cropToClippingRectangle: true}}\n")
        let cut = try await attachd.process(payload: payload, ["--config", file, "--profile", "cut"])
        #expect(cut.outcome == "complete" && cut.number("/attachments/0/height") == 1038)
        let rectangle = "/payload/_wp/attachments/0/options/UNNotificationAttachmentOptionsThumbnailClippingRectKey"
        #expect(cut.value(rectangle)?.compactText == #"{"X":0,"Y":0,"Width":1,"Height":1}"#)
    }

    /// Returns what was printed before the lines about failures.
    private func explanation(_ outcome: AttachdProgram.Outcome) -> String {
        outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("attachd: ") }.map { "\($0)\n" }.joined()
    }

    @Test("--dialect pins one, and the explanation says so")
    func pinned() async throws {
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"/x.jpg","LP_URL":"/y.jpg"}"#
        let found = try await attachd.process(payload: payload, ["--explain", "--log-level", "error"])
        #expect(
            explanation(found) == """
                dialect leanplum, the most specific that finds an attachment: /LP_URL
                gate open: the content is mutable, and an alert shows
                profile apns, the default: /LP_URL

                """
        )
        let pinned = try await attachd.process(
            payload: payload,
            ["--explain", "--dialect", "my-attachment", "--profile", "fcm", "--log-level", "error"],
        )
        #expect(
            explanation(pinned) == """
                dialect my-attachment, as asked for: /my-attachment
                gate open: the content is mutable, and an alert shows
                profile fcm, as asked for: /my-attachment

                """
        )
        let unknown = try await attachd.process(payload: payload, ["--dialect", "nokia"])
        #expect(unknown.status == 78 && unknown.errors.contains("my-attachment"))
    }

    @Test("detection says which dialects match a payload, with a status for scripts")
    func detect() async throws {
        let aps = #""aps":{"alert":"Hi","mutable-content":1}"#
        let payload = #"{\#(aps),"shop/image":"https://a/1","my-attachment":"https://a/2"}"#
        let file = try write(payload, to: "payload.json")
        let configured = ["dialects", "--detect", file, "--config", try write(Self.configuration)]
        let columns = try await attachd.run(configured)
        let rows = Self.rows(columns.output)
        #expect(columns.status == 0)
        #expect(rows.prefix(3).map { $0[1] } == ["MATCH", "used", "also"])
        #expect(rows[1] == ["shop", "used", "/shop~1image"])
        #expect(rows[2].prefix(3) == ["my-attachment", "also", "/my-attachment;"])
        let json = try JSONValue(parsing: Array(try await attachd.run(configured + ["--json"]).output.utf8))
        #expect(json["matches"] == true)
        let other = try await attachd.run(["dialects", "--detect", try write(#"{"a":1}"#, to: "other.json")])
        #expect(other.status == 1 && other.output.contains("there is no /topic"))
    }

    @Test("what detection and lint propose for a body that nothing fits finds its media, also inside a string")
    func proposal() async throws {
        let payload =
            #"{"event":{"media":[{"src":"https://a.example/1.jpg"}]},"m":"{\"hero\":\"https://a.example/2.jpg?t=1\"}"}"#
        let file = try write(payload, to: "event.json")
        let detected = try await attachd.run(["dialects", "--detect", file])
        let lines = try #require(detected.output.range(of: "dialects:\n"))
        let configuration = String(detected.output[lines.lowerBound...])
        #expect(detected.status == 1)
        let json = try await attachd.run(["dialects", "--detect", file, "--json"])
        let listing = try JSONValue(parsing: Array(json.output.utf8))
        #expect(listing["configuration"]?.text.map { $0 + "\n" } == configuration, "\(configuration)")
        let linted = try await attachd.run(["lint", file])
        #expect(
            linted.status == 65 && linted.errors.contains(#"{string: "/m", gate: none, url: ["/hero"]}}"#),
            "\(linted.errors)"
        )

        let configured = ["dialects", "--detect", file, "--config", try write(configuration, to: "own.yaml")]
        let rows = Self.rows(try await attachd.run(configured).output)
        #expect(rows[1] == ["my-service", "used", "/event/media/0/src"])
        #expect(rows[2].prefix(3) == ["my-service-2", "also", "/m/hero;"])

        let line = try #require(linted.errors.range(of: "dialects: {"))
        let flow = [
            "dialects", "--detect", file, "--config",
            try write(String(linted.errors[line.lowerBound...]), to: "flow.yaml"),
        ]
        #expect(Self.rows(try await attachd.run(flow).output).prefix(3) == rows.prefix(3))

        let push = try write(
            #"{"aps":{"alert":"Hi","mutable-content":1},"pic":{"src":"https://a.example/1.jpg"}}"#,
            to: "push.json"
        )
        let finding = try await attachd.run(["lint", push])
        #expect(
            finding.status == 0 && finding.output.hasSuffix("  my-service:\n    url: [\"/pic/src\"]\n"),
            "\(finding.output)"
        )
        let object = try JSONValue(parsing: Array(try await attachd.run(["lint", push, "--json"]).output.utf8))
        #expect(object["configuration"]?.text?.hasSuffix("url: [\"/pic/src\"]") == true)
    }

    @Test("a dialect for any JSON gives its profile to a request that names none, and keeps the rest of the body")
    func anyJSON() async throws {
        let file = try write(
            """
            dialects:
              event: {gate: none, url: /event/hero, profile: fcm}
              queue: {string: /Message, url: /hero}
            """
        )
        let payload = try write(#"{"event":{"hero":"file:///nothing/here.jpg"},"n":1.50}"#, to: "any.json")
        let outcome = try await attachd.run(["process", payload, "--config", file, "--explain"])
        #expect(
            outcome.status == 0 && outcome.output == #"{"event":{"hero":"file:///nothing/here.jpg"},"n":1.50}"# + "\n"
        )
        #expect(outcome.errors.contains("profile fcm"), "\(outcome.errors)")
        let list = Self.rows(try await attachd.run(["dialects", "--config", file]).output)
        #expect(
            list.dropFirst().prefix(2).map { $0.prefix(3) } == [
                ["event", "/event/hero", "fcm"], ["queue", "/Message/hero", "-"],
            ]
        )
    }

    @Test(
        "a dialect whose gate, profile or string is not valid is refused",
        arguments: [
            ("{gate: open, url: /a}", "dialects.own.gate"), ("{url: /a, profile: nokia}", "dialects.own.profile"),
            ("{string: Message}", "is not a JSON pointer"), ("{gate: none}", "it has no url"),
            ("{string: /a, gate: none}", "it has no url"), ("{string: /a, profile: fcm}", "it has no url"),
        ]
    )
    func invalid(dialect: String, words: String) async throws {
        let file = try write("dialects:\n  own: \(dialect)\n")
        let outcome = try await attachd.run(["dialects", "--config", file])
        #expect(outcome.status == 78 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("detection refuses what is no JSON, a missing file, and --json alone")
    func detectionRefuses() async throws {
        #expect(try await attachd.run(["dialects", "--detect", try write("{", to: "a.json")]).status == 65)
        #expect(try await attachd.run(["dialects", "--detect", "/nothing/here.json"]).status == 66)
        #expect(try await attachd.run(["dialects", "--json"]).status == 64)
    }
}
