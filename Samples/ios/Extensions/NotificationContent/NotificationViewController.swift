import NotificationAttachments
import UserNotificationsUI

/// The app's content extension: `NSExtensionPrincipalClass` in its Info.plist names it.
final class NotificationViewController: AttachmentContentController {
    override var textActions: Set<String> { ["reply"] }

    override func respond(to action: String, text: String?) async -> UNNotificationContentExtensionResponseOption {
        // Send the reply here, for example with a token from the App Group. Everything else is the app's.
        action == "reply" ? .dismiss : .dismissAndForwardAction
    }
}
