import Payloads
import Testing

@Suite("Attachment options")
struct AttachmentOptionsTests {
    static func attachment(options: String) throws -> AttachmentRequest {
        let text =
            #"{"aps":{"alert":"Hi","mutable-content":1},"_wp":{"attachments":[{"url":"https://a.example","#
            + #""options":{\#(options)}}]}}"#
        return try #require(PayloadReader().read(Array(text.utf8), identifier: "n").attachments.first)
    }

    static let key = "UNNotificationAttachmentOptions"

    @Test(
        "a type hint is a type identifier; a media type is accepted and reported, and anything else is ignored",
        arguments: [
            ("public.jpeg", "public.jpeg", 0), ("image/jpeg", "public.jpeg", 1), ("IMAGE/JPG", "public.jpeg", 1),
            ("audio/x-wav", "com.microsoft.waveform-audio", 1), ("text/html", nil, 1), ("jpg", nil, 1), ("", nil, 0),
        ] as [(String, String?, Int)]
    )
    func typeHint(text: String, hint: String?, remarks: Int) throws {
        let attachment = try Self.attachment(options: #""\#(Self.key)TypeHintKey":"\#(text)""#)
        #expect(attachment.options.typeHint == hint)
        #expect(attachment.remarks.count == remarks)
    }

    @Test(
        "a thumbnail is hidden by 1 or true",
        arguments: [("1", true), ("true", true), ("0", false), ("\"1\"", false)]
    )
    func hidden(text: String, isHidden: Bool) throws {
        let attachment = try Self.attachment(options: #""\#(Self.key)ThumbnailHiddenKey":\#(text)"#)
        #expect(attachment.options.isThumbnailHidden == isHidden)
    }

    @Test(
        "a clipping rectangle lies inside the picture, or is ignored and reported",
        arguments: [
            (#"{"X":0,"Y":0,"Width":1,"Height":1}"#, true), (#"{"x":0.9,"y":0.9,"width":0.1,"height":0.1}"#, true),
            (#"{"X":0,"Y":0,"Width":0,"Height":1}"#, false), (#"{"X":-0.1,"Y":0,"Width":1,"Height":1}"#, false),
            (#"{"X":0.5,"Y":0,"Width":0.6,"Height":1}"#, false), (#"{"X":0,"Y":0,"Width":1}"#, false),
            (#"{"X":0,"Y":0,"Width":1e999,"Height":1}"#, false), (#"[0,0,1,1]"#, false),
        ]
    )
    func clipping(text: String, isThere: Bool) throws {
        let attachment = try Self.attachment(options: #""\#(Self.key)ThumbnailClippingRectKey":\#(text)"#)
        #expect((attachment.options.clippingRectangle != nil) == isThere)
        #expect(attachment.remarks.isEmpty == isThere)
    }

    @Test(
        "a thumbnail's time is a number or a CMTime, or is ignored and reported",
        arguments: [
            ("2.5", 2.5), ("0", 0), (#"{"value":150,"timescale":600,"epoch":0,"flags":1}"#, 0.25), ("-1", nil),
            (#"{"value":1,"timescale":0}"#, nil), ("\"1\"", nil), ("1e999", nil), ("1e300", nil), ("1e19", nil),
            ("86400.5", nil), ("86400", 86_400),
            (#"{"value":1e308,"timescale":1e-308}"#, nil),
        ] as [(String, Double?)]
    )
    func time(text: String, time: Double?) throws {
        let attachment = try Self.attachment(options: #""\#(Self.key)ThumbnailTimeKey":\#(text)"#)
        #expect(attachment.options.thumbnailTime == time)
        #expect(attachment.remarks.isEmpty == (time != nil))
    }
}
