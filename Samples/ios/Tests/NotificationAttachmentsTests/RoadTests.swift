import Foundation
import Testing
import UserNotifications

@testable import NotificationAttachments
@testable import NotificationService

/// A notification's whole road: origin, gateway, attachd, payload, this package, and the attachment on disk.
@Suite(
    "The whole road",
    .enabled(if: Road.programs != nil, "ATTACHD_BIN names no folder with attachd: Scripts/samples ios does."),
    .serialized
)
struct RoadTests {
    private let deliveries = Deliveries<UNNotificationContent>()

    /// The notification as the extension delivers it when everything has ended.
    private func delivered(_ request: UNNotificationRequest) async throws -> UNNotificationContent {
        let service = NotificationService()
        service.didReceive(request, withContentHandler: deliveries.add)
        let content = try #require(await deliveries.first())
        service.serviceExtensionTimeWillExpire()
        #expect(deliveries.all.count == 1)
        return content
    }

    /// How a file of each type begins.
    private static let beginnings = [
        "public.jpeg": [0xFF, 0xD8, 0xFF], "com.compuserve.gif": Array("GIF8".utf8), "public.mpeg-4": [0, 0, 0],
        "public.mpeg-4-audio": [0, 0, 0],
    ]

    @Test("ends with the ready file on the phone's disk", arguments: ["photo", "animation", "video", "sound"])
    func ready(sample: String) async throws {
        let road = try await Road()
        defer { road.end() }
        let (request, outcome) = try await road.push(sample)
        #expect(["complete", "degraded"].contains(outcome))
        let entry = try #require(AttachmentEntry.entries(in: request.content.userInfo, senderKey: []).first)
        let content = try await delivered(request)
        let attachment = try #require(content.attachments.first)
        #expect(content.attachments.count == 1)
        #expect(attachment.type == entry.type && attachment.identifier == entry.identifier)
        let bytes = try Data(contentsOf: attachment.url)
        #expect(bytes.starts(with: try #require(Self.beginnings[attachment.type])))
        let rectangle = attachment.options[UNNotificationAttachmentOptionsThumbnailClippingRectKey]
        #expect(rectangle as? [String: Double] == entry.clippingRect)
    }

    /// The ThumbHash of the sample's photo.
    private static let inline = ["thumbhash": "EOcFFYItd2ZwiZd1h4iIdnZwbgbn"]

    @Test(
        "ends with the picture inside the payload when the ready file cannot be fetched",
        arguments: ["403", "404", "500", "login", "empty", "endless", "cut", "loop", "elsewhere"]
    )
    func faultyNetwork(fault: String) async throws {
        let road = try await Road(fault: fault)
        defer { road.end() }
        let (request, outcome) = try await road.push("photo", inline: Self.inline)
        #expect(["complete", "degraded"].contains(outcome))
        let attachment = try #require(try await delivered(request).attachments.first)
        #expect(attachment.type == "public.png")
        #expect(try Data(contentsOf: attachment.url) == InlinePicture(Self.inline)?.data)
    }

    @Test("ends with the original when there is no picture inside the payload either")
    func original() async throws {
        let road = try await Road(fault: "404")
        defer { road.end() }
        let (request, _) = try await road.push("photo")
        #expect(try await delivered(request).attachments.isEmpty)
    }

    @Test(
        "ends with the picture inside the payload when the time is up while the network stalls",
        arguments: ["stall", "silence"]
    )
    func stalls(fault: String) async throws {
        let road = try await Road(fault: fault)
        defer { road.end() }
        let (request, _) = try await road.push("photo", inline: Self.inline)
        let service = NotificationService()
        service.didReceive(request, withContentHandler: deliveries.add)
        try await road.untilStalled()
        #expect(deliveries.all.isEmpty)
        service.serviceExtensionTimeWillExpire()
        service.serviceExtensionTimeWillExpire()
        #expect(deliveries.all.map { $0.attachments.map(\.type) } == [["public.png"]])
    }

    @Test(
        "ends with the original when neither attachd nor the phone gets the source",
        arguments: ["404", "login", "empty"]
    )
    func faultyOrigin(fault: String) async throws {
        let road = try await Road()
        defer { road.end() }
        let (request, outcome) = try await road.push("photo", fault: fault)
        #expect(outcome == "original")
        #expect(try await delivered(request).attachments.isEmpty)
    }

    @Test("ends with the sender's own file when attachd has gone")
    func withoutAttachd() async throws {
        let road = try await Road()
        defer { road.end() }
        road.attachd.end()
        road.attachd.wait()
        let (request, outcome) = try await road.push("photo")
        #expect(outcome.hasPrefix("sent as it is"))
        let attachment = try #require(try await delivered(request).attachments.first)
        let original = try Data(contentsOf: Samples.folder.appending(path: "media/photo.jpg"))
        #expect(try Data(contentsOf: attachment.url) == original)
    }
}
