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

    @Test(
        "ends with the picture inside the payload when the ready file cannot be fetched, or is not the one that was sent",
        arguments: ["403", "404", "500", "login", "empty", "shorter", "changed", "endless", "cut", "loop", "elsewhere"]
    )
    func faultyNetwork(fault: String) async throws {
        let road = try await Road(fault: fault)
        defer { road.end() }
        let (request, outcome) = try await road.push("photo")
        #expect(["complete", "degraded"].contains(outcome))
        let attachment = try #require(try await delivered(request).attachments.first)
        #expect(attachment.type == "public.jpeg")
        #expect(try Data(contentsOf: attachment.url) == inline(request)?.data)
    }

    @Test(
        "ends with a picture of the ThumbHash, or else with the original, where the profile says so",
        arguments: [("hash", ["public.png"]), ("off", [])]
    )
    func rules(inline: String, types: [String]) async throws {
        let road = try await Road(fault: "404", inline: inline)
        defer { road.end() }
        let (request, _) = try await road.push("photo")
        #expect(try await delivered(request).attachments.map(\.type) == types)
    }

    @Test(
        "ends with the picture inside the payload when the time is up while the network stalls",
        arguments: ["stall", "silence"]
    )
    func stalls(fault: String) async throws {
        let road = try await Road(fault: fault)
        defer { road.end() }
        let (request, _) = try await road.push("photo")
        let service = NotificationService()
        service.didReceive(request, withContentHandler: deliveries.add)
        try await road.untilStalled()
        #expect(deliveries.all.isEmpty)
        service.serviceExtensionTimeWillExpire()
        service.serviceExtensionTimeWillExpire()
        #expect(deliveries.all.map(\.attachments.count) == [1])
        let attachment = try #require(deliveries.all.first?.attachments.first)
        #expect(try Data(contentsOf: attachment.url) == inline(request)?.data)
    }

    /// The picture inside the payload as attachd wrote it.
    private func inline(_ request: UNNotificationRequest) throws -> InlinePicture? {
        let entry = AttachmentEntry.entries(in: request.content.userInfo, senderKey: []).first
        #expect(entry?.inline?.type.identifier == "public.jpeg" && entry?.sha256 != nil && entry?.byteCount != nil)
        return entry?.inline
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
