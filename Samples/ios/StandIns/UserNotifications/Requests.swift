// Declarations of Apple's UserNotifications for type-checking on Linux; nothing of it goes into an app.

import Foundation

open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent

    /// On a phone, there is a third parameter, a trigger.
    public init(identifier: String, content: UNNotificationContent) {
        (self.identifier, self.content) = (identifier, content)
    }
}

open class UNNotification: NSObject {
    public let request: UNNotificationRequest

    /// On a phone, only the system makes one.
    public init(request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    /// On a phone, only the system makes one.
    public init(notification: UNNotification, actionIdentifier: String) {
        (self.notification, self.actionIdentifier) = (notification, actionIdentifier)
    }
}

open class UNTextInputNotificationResponse: UNNotificationResponse {
    public let userText: String

    /// On a phone, only the system makes one.
    public init(notification: UNNotification, actionIdentifier: String, userText: String) {
        self.userText = userText
        super.init(notification: notification, actionIdentifier: actionIdentifier)
    }
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void,
    ) {}

    open func serviceExtensionTimeWillExpire() {}
}

/// Foundation has these only on Apple's platforms.
extension URL {
    public func startAccessingSecurityScopedResource() -> Bool { false }
    public func stopAccessingSecurityScopedResource() {}
}
