import Payloads
import Testing

@Suite("Reading payloads")
struct PayloadReaderTests {
    static let reader = PayloadReader()

    static func read(_ text: String) throws -> NotificationRequest {
        try reader.read(Array(text.utf8), identifier: "n")
    }

    @Test("the attachment of a mutable alert is found")
    func attachment() throws {
        let text = #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://example.com/a.jpg"}"#
        let request = try Self.read(text)
        #expect(request.gate == .open)
        #expect(request.attachments.map(\.url) == ["https://example.com/a.jpg"])
        #expect(request.attachments.allSatisfy { !$0.identifier.isEmpty && $0.dialect == "my-attachment" })
        #expect(request.original == Array(text.utf8))
    }

    @Test(
        "mutable content that shows an alert is eligible",
        arguments: [
            #"{"alert":"Hi","mutable-content":1}"#, #"{"alert":"Hi","mutable-content":true}"#,
            #"{"alert":{"title":"Hi"},"mutable-content":1}"#, #"{"alert":{"subtitle":"Hi"},"mutable-content":1}"#,
            #"{"alert":{"body":"Hi"},"mutable-content":1,"content-available":1}"#,
            #"{"alert":{"loc-key":"HI"},"mutable-content":1}"#,
            #"{"alert":{"title-loc-key":"HI"},"mutable-content":1}"#,
        ]
    )
    func open(aps: String) throws {
        let request = try Self.read(#"{"my-attachment":"https://example.com/a.jpg","aps":\#(aps)}"#)
        #expect(request.gate == .open)
        #expect(request.attachments.count == 1)
    }

    @Test(
        "any other content is not eligible, with a reason",
        arguments: [
            (#"{"alert":"Hi"}"#, .notMutable), (#"{"alert":"Hi","mutable-content":0}"#, .notMutable),
            (#"{"alert":"Hi","mutable-content":"1"}"#, .notMutable),
            (#"{"alert":"Hi","mutable-content":2}"#, .notMutable),
            (#"{"alert":"Hi","mutable-content":false}"#, .notMutable), (#"{"mutable-content":1}"#, .noAlert),
            (#"{"alert":"","mutable-content":1}"#, .noAlert), (#"{"alert":{},"mutable-content":1}"#, .noAlert),
            (#"{"alert":{"body":""},"mutable-content":1}"#, .noAlert),
            (#"{"alert":{"launch-image":"a.png"},"mutable-content":1}"#, .noAlert),
            (#"{"alert":null,"mutable-content":1}"#, .noAlert), (#"{"badge":1,"mutable-content":1}"#, .noAlert),
        ] as [(String, Eligibility)]
    )
    func shut(aps: String, gate: Eligibility) throws {
        let request = try Self.read(#"{"my-attachment":"https://example.com/a.jpg","aps":\#(aps)}"#)
        #expect(request.gate == gate)
        #expect(request.attachments.isEmpty)
    }

    @Test("a value that is not a URL is not an attachment", arguments: [#""""#, #""  ""#, "null", "1", "[]", "{}"])
    func noAttachment(value: String) throws {
        let request = try Self.read(#"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":\#(value)}"#)
        #expect(request.attachments.isEmpty)
        #expect(request.gate == .open)
        #expect(request.explanation.choice == .none)
    }

    @Test("a payload that is not JSON, not an object, or without aps has its own error")
    func refused() {
        #expect(throws: PayloadError.notAnObject) { try Self.read("[1]") }
        for text in [#"{"alert":"Hi"}"#, #"{"aps":"Hi"}"#, "{}"] {
            #expect { try Self.read(text) } throws: { error in
                guard case .noNotification(let requests, _) = error as? PayloadError else { return false }
                return requests.contains("fcm-message") && "\(error)".contains("`attachd dialects --detect FILE`")
            }
        }
        #expect(throws: PayloadError.tooLarge(byteCount: 65_537, limit: 65_536)) {
            try Self.reader.read([UInt8](repeating: 0x20, count: 65_537), identifier: "n")
        }
        #expect { try Self.read(#"{"aps":{}"#) } throws: { error in
            guard case .notJSON(let cause) = error as? PayloadError else { return false }
            return cause.offset == 9
        }
    }

    @Test("a payload of the largest size is read")
    func largest() throws {
        let text = #"{"aps":{}}"#
        let padding = String(repeating: " ", count: PayloadReader.byteLimit - text.utf8.count)
        #expect(try Self.read(text + padding).original.count == PayloadReader.byteLimit)
    }

    @Test("a requested dialect is the only one tried, and its name must be known")
    func pinned() throws {
        let text = Array(#"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://example.com/a"}"#.utf8)
        let request = try Self.reader.read(text, identifier: "n", dialect: "my-attachment")
        #expect(request.explanation.choice == .pinned)
        #expect(throws: PayloadError.unknownDialect("nobody", known: Dialect.builtIn.map(\.name))) {
            try Self.reader.read(text, identifier: "n", dialect: "nobody")
        }
    }

    @Test(
        "an attachment knows its notification's category",
        arguments: [
            #"{"aps":{"alert":"Hi","mutable-content":1,"category":"PHOTO"},"my-attachment":"https://x.example"}"#,
            #"{"message":{"notification":{"title":"Hi"},"apns":{"payload":{"aps":{"mutable-content":1,"#
                + #""category":"PHOTO"}},"fcm_options":{"image":"https://x.example"}}}}"#,
            #"{"notifications":[{"platform":1},{"platform":1,"message":"Hi","mutable_content":true,"#
                + #""category":"PHOTO","data":{"my-attachment":"https://x.example"}}]}"#,
            #"{"to":"a","title":"Hi","categoryId":"PHOTO","richContent":{"image":"https://x.example"}}"#,
            #"{"title":"Hi","categoryIdentifier":"PHOTO","attachments":[{"url":"/x.jpg"}]}"#,
        ]
    )
    func category(text: String) throws {
        #expect(try Self.read(text).attachments.map(\.category) == ["PHOTO"])
    }

    @Test("attachments beyond the limit of a notification are skipped, and reported")
    func many() throws {
        let urls = (0..<100).map { #""\#($0)":"https://x.example/\#($0)""# }.joined(separator: ",")
        let request = try Self.read(#"{"aps":{"alert":"Hi","mutable-content":1},"att":{\#(urls)}}"#)
        #expect(request.attachments.map(\.identifier) == (0..<PayloadReader.attachmentLimit).map { "\($0)" })
        #expect(request.explanation.remarks.count == 1)
    }

    @Test("generated identifiers are long and unique")
    func identifiers() {
        let identifiers = Set((0..<1000).map { _ in RandomIdentifier.make() })
        #expect(identifiers.count == 1000)
        #expect(identifiers.allSatisfy { $0.count == 32 })
    }

    @Test("the explanation names the dialect, the position and the eligibility")
    func explanation() throws {
        let found = try Self.read(#"{"aps":{"alert":"Hi","mutable-content":1},"a4sid":{"url":["https://x.example"]}}"#)
        #expect(
            found.explanation.description == """
                dialect accengage, the most specific that finds an attachment: /a4sid/url/0
                gate open: the content is mutable, and an alert shows
                """
        )
        let shut = try Self.read(#"{"aps":{"alert":"Hi"},"my-attachment":"https://x.example"}"#)
        #expect(
            shut.explanation.description == """
                no attachment was looked for
                gate shut: mutable-content is neither 1 nor true
                """
        )
    }

    @Test(
        "half a surrogate pair, anywhere, gives the original back unchanged",
        arguments: [
            #"{"aps":{"alert":"\ud800","mutable-content":1},"my-attachment":"https://example.com/a.jpg"}"#,
            #"{"aps":{"alert":"Hi","mutable-content":1}, "my-attachment":"https://example.com/a.jpg","x":["\udfff"]}"#,
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://example.com/a.jpg","\ud800":1}"#,
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://example.com/\ud83d.jpg"}"#,
            #"{"message":{"apns":{"payload":{"aps":{"alert":"\ud800","mutable-content":1}}},"token":"t"}}"#,
        ]
    )
    func unpairedSurrogate(text: String) throws {
        let request = try Self.read(text)
        #expect(request.gate == .notUnicode && request.attachments.isEmpty)
        let written = PayloadWriter().write(request, attachments: [:])
        #expect(written.bytes == Array(text.utf8) && written.fit == .original)
        // As a part of an envelope, too, with its original escape.
        let part = try Self.reader.read(try JSONValue(parsing: Array(text.utf8)), identifier: "n")
        #expect(String(decoding: part.original, as: UTF8.self) == text.replacing(", ", with: ","))
    }

    @Test("among the services whose marks a request has, the first that finds an attachment is the one")
    func sharedMarks() throws {
        // The marks of ntfy and of a message; only the latter has a picture there.
        let request = try Self.read(
            #"{"topic":"u1","title":"Hi","message":"M","image":"https://example.com/a.jpg"}"#
        )
        #expect(request.attachments.map(\.dialect) == ["message"])
        let nothing = try Self.read(#"{"to":"u1","title":"Hi","data":{"k":1}}"#)
        #expect(nothing.attachments.isEmpty)
    }

    @Test(
        "what an iPhone may get is no web push, whose WebP it would not show",
        arguments: [
            #""to":"u1""#, #""registration_ids":["u1"]"#, #""mutable_content":true"#, #""mutableContent":1"#,
            #""apns":{"payload":{"aps":{"mutable-content":1}}}"#, #""android":{"priority":"high"}"#, #""fid":"f""#,
            #""fids":["f"]"#, #""custom":{},"topic":"com.example.app""#,
        ]
    )
    func noWebPush(key: String) throws {
        let picture = #""title":"T","body":"B","image":"https://example.com/a.jpg""#
        for body in [picture, #""notification":{\#(picture)}"#] {
            for attachment in (try? Self.read("{\(key),\(body)}"))?.attachments ?? [] {
                #expect(attachment.dialect != "web-push" && !attachment.isForOthersOnly, "\(attachment)")
            }
        }
    }

    @Test(
        "a picture of which nobody knows whether an iPhone gets it is one that all phones show",
        arguments: [
            ("", "message"), (#","badge":3"#, "message"), (#","badge":"3""#, "message"),
            (#","endpoint":"arn:aws:sns""#, "message"),
            (#","keys":{"p256dh":"k","auth":"a"}"#, "web-push"), (#","actions":[{"title":"Open"}]"#, "message"),
            (#","vibrate":[100]"#, "web-push"), (#","requireInteraction":true"#, "web-push"),
            (#","renotify":false"#, "web-push"), (#","badge":"https://a.example/b.png""#, "web-push"),
            (#","actions":[{"action":"open","title":"Open"}]"#, "web-push"),
            (#","subscription":{"endpoint":"https://push.example/1"}"#, "web-push"),
            (#","device_key":"k","badge":1"#, "bark-request"), (#","device_keys":["k"],"vibrate":1"#, "bark-request"),
        ]
    )
    func certainty(members: String, dialect: String) throws {
        let text = #"{"title":"T","body":"B","image":"https://a.example/a.jpg"\#(members)}"#
        let first = try #require(try Self.read(text).attachments.first)
        #expect(first.dialect == dialect && first.profile == (dialect == "web-push" ? "webpush" : nil))
        #expect(first.isForOthersOnly == (dialect == "web-push"))
    }

    @Test(
        "an app's own picture under Bark's common name is left alone beside Apple's key, and inside other services' data"
    )
    func commonName() throws {
        let aps = #""aps":{"alert":"Hi","mutable-content":1}"#
        let both = #"{\#(aps),"my-attachment":"https://a.example/1","image":"https://a.example/2"}"#
        #expect(try Self.read(both).attachments.map(\.dialect) == ["my-attachment"])
        let legacy =
            #"{"to":"x","mutable_content":true,"notification":{"title":"t"},"data":{"image":"https://a.example/2"}}"#
        #expect(try Self.read(legacy).attachments.isEmpty)
    }

    @Test("a request with thousands of places for a picture is read up to the limit of attachments")
    func manyPlaces() throws {
        let messages = (0..<1500).map { #""\#($0)":{"to":"a","title":"b","richContent":{"image":"https://e.co/i"}}"# }
        let text = "{" + messages.joined(separator: ",") + "}"
        let request = try Self.reader.read(try JSONValue(parsing: Array(text.utf8)), identifier: "n")
        #expect(request.attachments.count <= PayloadReader.attachmentLimit)
    }
}
