import Foundation
import Testing

@testable import NotificationAttachments

@Suite("The attachments that a payload names")
struct EntryTests {
    private func entries(_ json: String, senderKey: [String] = ["my-attachment"]) throws -> [AttachmentEntry] {
        let payload = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any]
        return AttachmentEntry.entries(in: try #require(payload), senderKey: senderKey)
    }

    @Test("an element's fields are read")
    func fields() throws {
        let json = """
            {"attachments": [{"identifier": "a", "url": "https://files.example/a.jpg", "type": "public.jpeg", "bytes": 300,
              "sha256": "ABCD", "thumbnailTime": 3, "thumbnailClippingRect": {"x": 0.25, "y": 0, "width": 0.5, "height": 1}}]}
            """
        let entry = try #require(entries(json).first)
        #expect(entry.identifier == "a")
        #expect(entry.url?.absoluteString == "https://files.example/a.jpg")
        #expect(entry.type == "public.jpeg")
        #expect(entry.byteCount == 300)
        #expect(entry.sha256 == "abcd")
        #expect(entry.thumbnailTime == 3)
        #expect(entry.clippingRect == ["X": 0.25, "Y": 0, "Width": 0.5, "Height": 1])
        #expect(entry.inline == nil)
    }

    @Test("an element without the optional fields has only its URL")
    func bare() throws {
        let entry = try #require(entries(#"{"attachments": [{"url": "https://files.example/a"}]}"#).first)
        #expect(entry == AttachmentEntry(url: URL(string: "https://files.example/a")))
    }

    @Test("several elements keep their order")
    func order() throws {
        let json =
            #"{"attachments": [{"identifier": "b", "url": "https://x.example/b"}, {"identifier": "a", "url": "https://x.example/a"}]}"#
        #expect(try entries(json).map(\.identifier) == ["b", "a"])
    }

    @Test(
        "the sender's own key counts if there is no URL in attachments",
        arguments: [
            #"{"my-attachment": "https://x.example/p.jpg"}"#,
            #"{"attachments": [], "my-attachment": "https://x.example/p.jpg"}"#,
            #"{"attachments": "full", "my-attachment": "https://x.example/p.jpg"}"#,
            #"{"attachments": [{"identifier": "p", "inline": {"thumbhash": "EOcFFYItd2ZwiZd1h4iIdnZwbgbn"}}], "my-attachment": "https://x.example/p.jpg"}"#,
        ]
    )
    func senderKey(json: String) throws {
        #expect(try entries(json).map { $0.url?.absoluteString } == ["https://x.example/p.jpg"])
    }

    @Test("attachments count before the sender's own key, which may lead to the same file")
    func precedence() throws {
        let json = #"{"attachments": [{"url": "https://x.example/a"}], "my-attachment": "https://x.example/original"}"#
        #expect(try entries(json).map { $0.url?.lastPathComponent } == ["a"])
    }

    @Test(
        "the sender's own key may have several parts",
        arguments: [
            (["fcm_options", "image"], "image"), (["ab", "att", "url"], "url"), (["com.batch", "at", "u"], "u"),
        ]
    )
    func path(keys: [String], last: String) throws {
        let json = """
            {"fcm_options": {"image": "https://x.example/image"}, "ab": {"att": {"url": "https://x.example/url"}},
             "com.batch": {"at": {"u": "https://x.example/u"}}}
            """
        #expect(try entries(json, senderKey: keys).map { $0.url?.lastPathComponent } == [last])
    }

    @Test(
        "nothing is downloaded from what is not an address of the web",
        arguments: [
            #"{}"#, #"{"my-attachment": ""}"#, #"{"my-attachment": 7}"#, #"{"my-attachment": null}"#,
            #"{"my-attachment": "file:///etc/passwd"}"#, #"{"my-attachment": "file://localhost/etc/passwd"}"#,
            #"{"my-attachment": "ftp://x.example/photo.jpg"}"#, #"{"my-attachment": "photo.jpg"}"#,
            #"{"my-attachment": "data:image/png;base64,AAAA"}"#, #"{"my-attachment": "https://"}"#,
            #"{"attachments": [{"url": "file:///var/lib/attachd/a.jpg"}]}"#,
            #"{"attachments": ["https://x.example/a"]}"#,
        ]
    )
    func notOfTheWeb(json: String) throws {
        #expect(try entries(json).isEmpty)
    }

    @Test(
        "an incomplete clipping rectangle is left out",
        arguments: [
            "{}", #"{"x": 0, "y": 0, "width": 1}"#, #"{"x": "0", "y": 0, "width": 1, "height": 1}"#, "[0, 0, 1, 1]",
        ]
    )
    func clipping(rectangle: String) throws {
        let json = #"{"attachments": [{"url": "https://x.example/a", "thumbnailClippingRect": \#(rectangle)}]}"#
        #expect(try entries(json).map(\.clippingRect) == [nil])
    }
}
