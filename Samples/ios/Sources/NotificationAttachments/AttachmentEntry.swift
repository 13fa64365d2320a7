import Foundation
import UserNotifications

/// An attachment that a payload names: an element of its `attachments`, or the URL under the sender's own key.
struct AttachmentEntry: Sendable, Equatable {
    var identifier = ""
    var url: URL?
    /// The uniform type identifier.
    var type: String?
    var byteCount: Int?
    /// The SHA-256 digest, in hexadecimal digits.
    var sha256: String?
    /// The part for the thumbnail, in the form of `CGRectCreateDictionaryRepresentation`: parts of the whole.
    var clippingRect: [String: Double]?
    /// The frame's number in an animation, or the second in a movie.
    var thumbnailTime: Double?
    /// A tiny picture that needs no network.
    var inline: InlinePicture?

    /// Returns the payload's attachments.
    ///
    /// attachd leaves `attachments` out of a full payload, and an element's URL where it has no URL for phones. The
    /// sender's own key leads to the URL then.
    static func entries(in payload: [AnyHashable: Any], senderKey: [String]) -> [AttachmentEntry] {
        let sender = senderKey.reduce(payload as Any?) { ($0 as? [AnyHashable: Any])?[$1] }
        var entries = (payload["attachments"] as? [Any] ?? []).compactMap { ($0 as? [String: Any]).map(Self.init) }
        if entries.isEmpty { entries = [Self()] }
        if entries.allSatisfy({ $0.url == nil }) { entries[0].url = address(sender) }
        return entries.filter { $0.url != nil || $0.inline != nil }
    }

    private static func address(_ value: Any?) -> URL? {
        guard let url = (value as? String).flatMap(URL.init(string:)), let scheme = url.scheme?.lowercased(),
            ["https", "http"].contains(scheme), url.host != nil
        else { return nil }
        return url
    }
}

extension AttachmentEntry {
    init(_ element: [String: Any]) {
        identifier = element["identifier"] as? String ?? ""
        url = Self.address(element["url"])
        type = element["type"] as? String
        byteCount = element["bytes"] as? Int
        sha256 = (element["sha256"] as? String)?.lowercased()
        thumbnailTime = element["thumbnailTime"] as? Double
        inline = InlinePicture(element["inline"] as? [String: Any] ?? [:])
        if let part = element["thumbnailClippingRect"] as? [String: Any], let x = part["x"] as? Double,
            let y = part["y"] as? Double, let width = part["width"] as? Double, let height = part["height"] as? Double
        {
            clippingRect = ["X": x, "Y": y, "Width": width, "Height": height]
        }
    }

    /// Returns the options of `UNNotificationAttachment` for a file of this type.
    func options(for type: MediaType) -> [String: any Sendable] {
        var options: [String: any Sendable] = [UNNotificationAttachmentOptionsTypeHintKey: type.identifier]
        options[UNNotificationAttachmentOptionsThumbnailClippingRectKey] = clippingRect
        options[UNNotificationAttachmentOptionsThumbnailTimeKey] = thumbnailTime
        return options
    }
}
