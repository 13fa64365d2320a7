import Base
import Media
import Payloads
import Processing
import Testing

@Suite("An envelope")
struct NotificationEnvelopeTests {
    @Test("all fields that a sender may set are read")
    func everything() throws {
        let envelope = try NotificationEnvelope(
            Array(
                """
                {"id":"a","tenant":"shop-2.chat","payload":{"aps":{}},"profile":"fcm","dialect":"my-attachment","pushType":"voip",
                "deadline":"5s","clip":{"start":"3s","duration":"800ms"},"focus":{"x":0.25,"y":1},
                "callback":"https://a/done"}
                """.utf8
            ),
            isJob: true,
        )
        #expect(envelope.payload == .object([.init("aps", .object([]))]))
        #expect(
            envelope.options
                == NotificationService.Options(
                    identifier: "a",
                    tenant: "shop-2.chat",
                    profile: "fcm",
                    dialect: "my-attachment",
                    pushType: .voip,
                    timeLimit: .seconds(5),
                    clip: ClipSelection(start: .seconds(3), duration: .milliseconds(800)),
                    focus: FocalPoint(x: 0.25, y: 1),
                )
        )
        #expect(envelope.callback == "https://a/done")
    }

    @Test(
        "an invalid envelope is refused, with a valid form",
        arguments: [
            ("{", "not JSON"), ("[]", "Send an envelope"), ("{\"aps\":{}}", "Send an envelope"),
            ("{\"payload\":{},\"deadlin\":\"5s\"}", "has no \"deadlin\""),
            ("{\"payload\":{},\"deadline\":5}", "is not a duration"),
            ("{\"payload\":{},\"deadline\":\"soon\"}", "not a duration"),
            ("{\"payload\":{},\"clip\":{\"end\":\"5s\"}}", "\"clip\" has no \"end\""),
            ("{\"payload\":{},\"clip\":3}", "\"clip\" must be"),
            ("{\"payload\":{},\"focus\":{\"x\":0.5}}", "\"focus\" must be"),
            ("{\"payload\":{},\"focus\":{\"x\":0.5,\"y\":1.1}}", "from 0 to 1"),
            ("{\"payload\":{},\"focus\":{\"x\":0.5,\"z\":1}}", "\"focus\" has no \"z\""),
            ("{\"payload\":{},\"pushType\":\"loud\"}", "\"pushType\" is not valid. Choose one of"),
            ("{\"payload\":{},\"id\":\"\"}", "1 to 128 bytes"),
            ("{\"payload\":{},\"tenant\":\"\"}", "1 to 64 letters"),
            ("{\"payload\":{},\"tenant\":5}", "1 to 64 letters"),
            ("{\"payload\":{},\"tenant\":\"a/b\"}", "is not a tenant's name"),
            ("{\"payload\":{},\"tenant\":\"\(String(repeating: "a", count: 65))\"}", "is not a tenant's name"),
            ("{\"payload\":{},\"callback\":\"https://a\"}", "/v1/jobs"),
        ],
    )
    func refused(text: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try NotificationEnvelope(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test("an envelope of more than 64 KiB is refused unread")
    func tooLarge() {
        let error = #expect(throws: RequestError.self) {
            try NotificationEnvelope([UInt8](repeating: 0x20, count: PayloadReader.byteLimit + 1))
        }
        #expect(error?.description.contains("65536") == true)
    }
}
