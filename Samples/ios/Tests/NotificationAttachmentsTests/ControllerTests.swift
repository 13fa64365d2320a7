import Foundation
import Testing
import UserNotifications

@testable import NotificationAttachments
@testable import NotificationContent

/// The content extension against the stand-ins, which draw and play nothing.
@MainActor
@Suite("The content extension")
struct ControllerTests {
    private let controller = NotificationViewController()

    init() { controller.loadView() }

    private func notification(_ texts: [String], _ attachments: [(type: String, url: URL)] = []) throws
        -> UNNotification
    {
        let content = UNMutableNotificationContent()
        (content.title, content.subtitle, content.body) = (texts[0], texts[1], texts[2])
        content.attachments = try attachments.map {
            try UNNotificationAttachment(
                identifier: "",
                url: $0.url,
                options: [UNNotificationAttachmentOptionsTypeHintKey: $0.type]
            )
        }
        return UNNotification(request: UNNotificationRequest(identifier: "1", content: content))
    }

    @Test("shows texts and attachments in order, and another notification in place of the first")
    func shows() throws {
        let folder = try TemporaryFolder()
        let photo = folder.url.appending(path: "a.jpg")
        try Data("a photo".utf8).write(to: photo)
        let clip = URL(filePath: "/store/b.mp4")
        controller.didReceive(
            try notification(
                ["Anna", "Launch week", "Look!"],
                [("public.jpeg", photo), ("public.mpeg-4", clip), ("com.compuserve.gif", photo), ("public.mp3", clip)]
            )
        )
        #expect(controller.shown == ["Anna", "Launch week", "Look!", "UIImageView", "UIView", "UIImageView"])
        #expect(controller.mediaPlayPauseButtonType == .overlay)
        controller.didReceive(try notification(["Anna", "", "Never mind"], [("public.jpeg", clip)]))
        #expect(controller.shown == ["Anna", "Never mind"])
        #expect(controller.mediaPlayPauseButtonType == .none && controller.mediaPlayPauseButtonFrame == .zero)
    }

    @Test(
        "shows an attachment by its type, else by its file's name",
        arguments: [
            ("public.jpeg", "a.jpg", "UIImageView"), ("public.png", "a.jpg", "UIImageView"),
            ("com.compuserve.gif", "a.jpg", "UIImageView"), ("dyn.ah62d4rv4ge80c5p2", "a.jpg", "UIImageView"),
            ("public.mpeg-4", "a.jpg", "UIView"), ("public.mp3", "a.jpg", "UIView"), ("", "a.m4a", "UIView"),
            ("com.adobe.pdf", "a.pdf", nil), ("public.jpeg", "missing.jpg", nil),
        ]
    )
    func kinds(type: String, name: String, view: String?) throws {
        let folder = try TemporaryFolder()
        try Data("a photo".utf8).write(to: folder.url.appending(path: "a.jpg"))
        controller.didReceive(try notification(["", "", ""], [(type, folder.url.appending(path: name))]))
        #expect(controller.shown == (view.map { [$0] } ?? []))
        #expect((controller.mediaPlayPauseButtonType == .overlay) == (view == "UIView"))
    }

    @Test("puts the system's button into the middle of what plays")
    func button() throws {
        controller.didReceive(try notification(["", "", ""], [("public.mpeg-4", URL(filePath: "/store/b.mp4"))]))
        controller.makeRoomForPlayer(width: 320, height: 180)
        #expect(controller.mediaPlayPauseButtonFrame == CGRect(x: 130, y: 60, width: 60, height: 60))
        controller.mediaPlay()
        controller.mediaPause()
        controller.viewDidDisappear(false)
        #expect(controller.mediaPlayPauseButtonType == .none && controller.shown.isEmpty)
    }

    @Test("of the sample sends a reply itself, and forwards everything else to the app")
    func responses() async throws {
        let deliveries = Deliveries<Option>(), others = Deliveries<Option>()
        let notification = try notification(["Anna", "", ""])
        let reply = UNNotificationResponse(notification: notification, actionIdentifier: "reply")
        controller.didReceive(reply, completionHandler: deliveries.add)
        controller.fieldText = "On my way!"
        #expect(controller.canBecomeFirstResponder && controller.send())
        #expect(await deliveries.first() == .dismiss)
        #expect(controller.fieldText == nil)
        let like = UNNotificationResponse(notification: notification, actionIdentifier: "like")
        controller.didReceive(like, completionHandler: others.add)
        #expect(await others.first() == .dismissAndForwardAction)
    }

    @Test("takes the text that was written in the system's own field")
    func systemField() async throws {
        let deliveries = Deliveries<Option>()
        let response = UNTextInputNotificationResponse(
            notification: try notification(["Anna", "", ""]),
            actionIdentifier: "reply",
            userText: "Yes"
        )
        controller.didReceive(response, completionHandler: deliveries.add)
        #expect(await deliveries.first() == .dismiss)
    }
}
