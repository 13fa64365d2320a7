import Foundation
@testable import NotificationService
import Testing
import UserNotifications

@testable import NotificationAttachments

/// The service extension against the stand-ins, over a network of the test's.
@Suite("The service extension")
struct ServiceTests {
    private final class Service: AttachmentService {
        var network = FakeNetwork([:])
        override var transport: any Transport { network }
    }

    private let deliveries = Deliveries<UNNotificationContent>()

    private func request(_ json: String) throws -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        (content.title, content.subtitle, content.body) = ("Anna", "Launch week", "Look!")
        content.categoryIdentifier = "PHOTO"
        let payload = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any]
        content.userInfo = try #require(payload)
        return UNNotificationRequest(identifier: "1", content: content)
    }

    @Test("attaches what the payload names, with the options that it gives, and keeps everything else")
    func attaches() async throws {
        let service = Service()
        service.network = FakeNetwork(["a": .photo, "b": .complete(mimeType: "video/mp4", pieces: [Data(count: 50)])])
        let json = """
            {"attachments": [
              {"identifier": "one", "url": "https://x.example/a", "type": "public.jpeg",
               "thumbnailClippingRect": {"x": 0.125, "y": 0, "width": 0.75, "height": 1}},
              {"identifier": "two", "url": "https://x.example/b", "type": "public.mpeg-4", "thumbnailTime": 2.5}]}
            """
        service.didReceive(try request(json), withContentHandler: deliveries.add)
        let content = try #require(await deliveries.first())
        #expect([content.title, content.subtitle, content.body] == ["Anna", "Launch week", "Look!"])
        #expect(content.categoryIdentifier == "PHOTO" && content.userInfo["attachments"] != nil)
        #expect(content.attachments.map(\.identifier) == ["one", "two"])
        let (photo, clip) = (content.attachments[0], content.attachments[1])
        #expect(try String(contentsOf: photo.url, encoding: .utf8) == "a photo in two pieces")
        #expect(photo.options["UNNotificationAttachmentOptionsTypeHintKey"] as? String == "public.jpeg")
        let rectangle = photo.options["UNNotificationAttachmentOptionsThumbnailClippingRectKey"] as? [String: Double]
        #expect(rectangle == ["X": 0.125, "Y": 0, "Width": 0.75, "Height": 1])
        #expect(photo.options["UNNotificationAttachmentOptionsThumbnailTimeKey"] == nil)
        #expect(clip.url.pathExtension == "mp4")
        #expect(clip.options["UNNotificationAttachmentOptionsThumbnailTimeKey"] as? Double == 2.5)
        service.serviceExtensionTimeWillExpire()
        #expect(deliveries.all.count == 1)
    }

    @Test(
        "delivers the notification as it came when there is nothing to attach",
        arguments: ["{}", #"{"my-attachment": "https://x.example/gone"}"#, #"{"my-attachment": "file:///a.jpg"}"#]
    )
    func original(json: String) async throws {
        let service = Service()
        service.didReceive(try request(json), withContentHandler: deliveries.add)
        let content = try #require(await deliveries.first())
        #expect(content.attachments.isEmpty && content.title == "Anna")
    }

    @Test("delivers two notifications of one process, each once, when the time is up")
    func two() async throws {
        let service = Service()
        service.network = FakeNetwork(["a": .stalls(after: 5), "b": .stalls(after: 5)])
        let others = Deliveries<UNNotificationContent>()
        let inline = #""inline": {"thumbhash": "EOcFFYItd2ZwiZd1h4iIdnZwbgbn"}"#
        service.didReceive(
            try request(#"{"attachments": [{"url": "https://x.example/a", \#(inline)}]}"#),
            withContentHandler: deliveries.add
        )
        service.didReceive(
            try request(#"{"my-attachment": "https://x.example/b"}"#),
            withContentHandler: others.add
        )
        await service.network.until(2)
        #expect(deliveries.all.isEmpty && others.all.isEmpty)
        service.serviceExtensionTimeWillExpire()
        service.serviceExtensionTimeWillExpire()
        #expect(deliveries.all.map { $0.attachments.map(\.url.pathExtension) } == [["png"]])
        #expect(others.all.map(\.attachments.isEmpty) == [true])
    }

    @Test("of the sample uses the sender's key and the system's network")
    func sample() {
        #expect(NotificationService().senderKey == ["my-attachment"])
        #expect(NotificationService().transport is Network)
    }
}
