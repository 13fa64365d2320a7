import Media
import Payloads
import Testing

@Suite("Writing payloads")
struct PayloadWriterTests {
    private static let url = "https://push.example/a/0123456789"

    static let ready = DeliveredAttachment(
        identifier: "i",
        url: url,
        shortURL: "https://push.example/a",
        format: .jpeg,
    )

    static func request(
        _ text: String,
        pushType: PushType = .alert,
    ) throws -> NotificationRequest {
        try PayloadReader().read(Array(text.utf8), identifier: "n", pushType: pushType)
    }

    static func payload(padding: Int) -> String {
        let padding = String(repeating: "x", count: padding)
        return #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://x.example/1","p":"\#(padding)"}"#
    }

    @Test("the ready file's URL replaces the original, and the array follows")
    func rewritten() throws {
        let request = try Self.request(
            #"{ "id": 9007199254740993, "my-attachment": "https://x.example/1", "n": null, "aps":"#
                + #"{"alert":"Hi","mutable-content":1}, "d": 1.50 }"#
        )
        let written = PayloadWriter().write(request, attachments: [0: Self.ready])
        #expect(written.fit == .listed)
        #expect(written.failure == nil)
        #expect(
            String(decoding: written.bytes, as: UTF8.self)
                == #"{"id":9007199254740993,"my-attachment":"https://push.example/a/0123456789","n":null,"#
                + #""aps":{"alert":"Hi","mutable-content":1},"d":1.50,"#
                + #""attachments":[{"identifier":"i","url":"https://push.example/a/0123456789","type":"public.jpeg"}]}"#
        )
    }

    /// The same file with a part for its thumbnail.
    private static var detailed: DeliveredAttachment {
        var file = ready
        file.thumbnailClippingRectangle = ClippingRectangle(x: 0.3, y: 0, width: 2.0 / 3, height: 1)
        return file
    }

    @Test("the part for the thumbnail stands in the array, in decimals that stay within the picture")
    func thumbnail() throws {
        let request = try Self.request(Self.payload(padding: 0))
        let written = PayloadWriter().write(request, attachments: [0: Self.detailed])
        #expect(
            written.payload.value(at: try JSONPointer("/attachments/0/thumbnailClippingRect"))
                == ["x": .number("0.3"), "y": 0, "width": .number("0.666"), "height": 1]
        )
    }

    @Test("the part for the thumbnail is the first to be left out")
    func withoutThumbnail() throws {
        let empty = PayloadWriter().write(try Self.request(Self.payload(padding: 0)), attachments: [0: Self.detailed])
        let room = 4096 - empty.bytes.count
        func written(_ padding: Int) throws -> RewrittenPayload {
            PayloadWriter().write(try Self.request(Self.payload(padding: padding)), attachments: [0: Self.detailed])
        }
        let part = try JSONPointer("/attachments/0/thumbnailClippingRect")
        let (full, fuller) = (try written(room), try written(room + 1))
        #expect(full.bytes.count == 4096 && full.payload.value(at: part) != nil)
        #expect(fuller.fit == .listed && fuller.payload.value(at: part) == nil)
        #expect(fuller.payload.value(at: try JSONPointer("/attachments/0/url")) == .string(Self.url))
    }

    @Test("without ready files the bytes come back unchanged")
    func nothing() throws {
        let text = " \(Self.payload(padding: 1)) \n"
        let written = PayloadWriter().write(try Self.request(text), attachments: [:])
        #expect(written.fit == .original)
        #expect(written.bytes == Array(text.utf8))
        #expect(written.failure == nil)
    }

    @Test("a sender's own array of that name is kept")
    func ownArray() throws {
        let request = try Self.request(
            #"{"attachments":[1],"my-attachment":"https://x.example/1","aps":{"alert":"Hi","mutable-content":1}}"#
        )
        let written = PayloadWriter().write(request, attachments: [0: Self.ready])
        #expect(written.fit == .unlisted)
        #expect(written.payload["attachments"] == [1])
    }

    @Test("each byte less gives the next smaller form, and never exceeds the limit", arguments: PushType.allCases)
    func fit(pushType: PushType) throws {
        var fits: [RewrittenPayload.Fit] = []
        for padding in (pushType.byteLimit - 300)...(pushType.byteLimit + 10) {
            let text = Self.payload(padding: padding)
            let request = try Self.request(text, pushType: pushType)
            let written = PayloadWriter().write(request, attachments: [0: Self.ready])
            #expect(written.bytes.count <= max(pushType.byteLimit, text.utf8.count))
            #expect((written.failure?.reason == .payloadTooLarge) == (written.fit == .original))
            if written.fit == .original {
                #expect(written.bytes == request.original)
            } else {
                #expect(written.bytes.count <= pushType.byteLimit)
            }
            if fits.last != written.fit { fits.append(written.fit) }
        }
        #expect(fits == RewrittenPayload.Fit.allCases)
    }

    @Test("a payload that fills its limit to the last byte fits")
    func exact() throws {
        let empty = PayloadWriter().write(try Self.request(Self.payload(padding: 0)), attachments: [0: Self.ready])
        let room = 4096 - empty.bytes.count
        func written(_ padding: Int) throws -> RewrittenPayload {
            PayloadWriter().write(try Self.request(Self.payload(padding: padding)), attachments: [0: Self.ready])
        }
        #expect(try written(room).bytes.count == 4096)
        #expect(try written(room).fit == .listed)
        #expect(try written(room + 1).fit == .unlisted)
    }

    @Test("a fragment adds the extension to the URL if the service takes the type from there")
    func endsInExtension() throws {
        let request = try Self.request(
            #"{"aps":{"alert":"Hi","mutable-content":1},"data":{"media-url":"https://x.example/1.png"}}"#
        )
        var file = Self.ready
        file.stored.url = "https://push.example/a?signature=s"
        let written = PayloadWriter().write(request, attachments: [0: file])
        #expect(written.payload["data"]?["media-url"] == "https://push.example/a?signature=s#.jpg")
    }

    @Test("of a message to several platforms, the largest part for one platform counts, not the whole")
    func platforms() throws {
        func written(_ android: Int, _ apple: Int) throws -> RewrittenPayload {
            let (a, b) = (String(repeating: "a", count: android), String(repeating: "b", count: apple))
            let request = try Self.request(
                #"{"message":{"notification":{"title":"T"},"android":{"data":{"p":"\#(a)"}},"apns":{"#
                    + #""payload":{"aps":{"mutable-content":1},"p":"\#(b)"},"fcm_options":{"image":"https://x.example"}}}}"#
            )
            return PayloadWriter().write(request, attachments: [0: Self.ready])
        }
        #expect(try written(3500, 3500).fit == .listed)
        #expect(try written(3500, 3950).fit == .unlisted)
        #expect(try written(3500, 4100).fit == .original)
        #expect(try written(4100, 100).fit == .original)
    }

    @Test("local content has no limit")
    func localContent() throws {
        let text = String(repeating: "x", count: 10_000)
        let request = try Self.request(#"{"body":"\#(text)","attachments":[{"url":"file:///a"}]}"#)
        let written = PayloadWriter().write(request, attachments: [0: Self.ready])
        #expect(written.fit == .unlisted)
        #expect(written.failure == nil)
    }

    @Test("of members of the same name, the last is read and replaced, and both are kept")
    func sameName() throws {
        let request = try Self.request(
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"first","my-attachment":"last"}"#
        )
        #expect(request.attachments.map(\.url) == ["last"])
        var file = Self.ready
        file.stored.url = "u"
        let written = PayloadWriter().write(request, attachments: [0: file])
        #expect(
            String(decoding: written.bytes, as: UTF8.self).contains(#""my-attachment":"first","my-attachment":"u""#)
        )
    }

    @Test(
        "the rectangle of a clipped file becomes the whole picture, in its original spelling",
        arguments: [
            (#"{"X":0.5,"Y":0,"Width":0.5,"Height":1}"#, #"{"X":0,"Y":0,"Width":1,"Height":1}"#),
            (#"{"x":0.5,"y":0,"width":0.5,"height":1.0,"z":1}"#, #"{"x":0,"y":0,"width":1,"height":1,"z":1}"#),
        ]
    )
    func clipped(old: String, new: String) throws {
        let text =
            #"{"aps":{"alert":"Hi","mutable-content":1},"_wp":{"attachments":[{"url":"https://a.example","#
            + #""options":{"UNNotificationAttachmentOptionsThumbnailClippingRectKey":\#(old)}}]}}"#
        let request = try PayloadReader().read(Array(text.utf8), identifier: "n")
        var file = DeliveredAttachment(identifier: "x", url: "https://b.example", format: .jpeg)
        let pointer = try JSONPointer(
            "/_wp/attachments/0/options/UNNotificationAttachmentOptionsThumbnailClippingRectKey"
        )
        let whole = PayloadWriter().write(request, attachments: [0: file])
        #expect(whole.payload.value(at: pointer)?.compactText == old)
        file.isClipped = true
        let clipped = PayloadWriter().write(request, attachments: [0: file])
        #expect(clipped.payload.value(at: pointer)?.compactText == new)
    }
}
