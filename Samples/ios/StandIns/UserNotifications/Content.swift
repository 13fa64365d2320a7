// Declarations of Apple's UserNotifications for type-checking on Linux; nothing of it goes into an app.
// Only what the package and its tests use, with the signatures of the framework's headers. Classes keep the values that
// they are given, and do nothing else: no file is checked or moved.

import Foundation

open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    public fileprivate(set) var title = ""
    public fileprivate(set) var subtitle = ""
    public fileprivate(set) var body = ""
    public fileprivate(set) var categoryIdentifier = ""
    public fileprivate(set) var attachments: [UNNotificationAttachment] = []
    public fileprivate(set) var userInfo: [AnyHashable: Any] = [:]

    public func copy(with zone: NSZone? = nil) -> Any { fill(UNNotificationContent()) }

    public func mutableCopy(with zone: NSZone? = nil) -> Any { fill(UNMutableNotificationContent()) }

    private func fill(_ copy: UNNotificationContent) -> UNNotificationContent {
        (copy.title, copy.subtitle, copy.body) = (title, subtitle, body)
        (copy.categoryIdentifier, copy.attachments, copy.userInfo) = (categoryIdentifier, attachments, userInfo)
        return copy
    }
}

open class UNMutableNotificationContent: UNNotificationContent {
    override public var title: String {
        get { super.title }
        set { super.title = newValue }
    }
    override public var subtitle: String {
        get { super.subtitle }
        set { super.subtitle = newValue }
    }
    override public var body: String {
        get { super.body }
        set { super.body = newValue }
    }
    override public var categoryIdentifier: String {
        get { super.categoryIdentifier }
        set { super.categoryIdentifier = newValue }
    }
    override public var attachments: [UNNotificationAttachment] {
        get { super.attachments }
        set { super.attachments = newValue }
    }
    override public var userInfo: [AnyHashable: Any] {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
}

open class UNNotificationAttachment: NSObject {
    public let identifier: String
    public let url: URL
    /// On a phone, the uniform type identifier.
    public let type: String
    /// The options, which a phone does not give back.
    public let options: [AnyHashable: Any]

    public init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {
        self.identifier = identifier
        url = URL
        self.options = options ?? [:]
        type = self.options[UNNotificationAttachmentOptionsTypeHintKey] as? String ?? ""
    }
}

public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"
