import Foundation
import UserNotifications

/// The content of an expanded notification, as the content extension shows it.
struct ExpandedContent: Equatable {
    enum Medium: Equatable { case picture, animation, playable }

    /// An attachment that can be shown.
    struct Item: Equatable {
        let url: URL
        let medium: Medium
    }

    var title = "", subtitle = "", body = ""
    var items: [Item] = []

    init(_ content: UNNotificationContent) {
        (title, subtitle, body) = (content.title, content.subtitle, content.body)
        items = content.attachments.compactMap { attachment in
            guard let type = MediaType.named(attachment.type) ?? .named(attachment.url.pathExtension) else {
                return nil
            }
            let medium: Medium = type.kind != .image ? .playable : type.fileExtension == "gif" ? .animation : .picture
            return Item(url: attachment.url, medium: medium)
        }
    }
}

/// Files in the system's attachment store, each of which an extension may read only between a start and a stop.
final class ScopedFiles {
    private let start: (URL) -> Bool
    private let stop: (URL) -> Void
    private var held: [URL] = []

    init(start: @escaping (URL) -> Bool, stop: @escaping (URL) -> Void) { (self.start, self.stop) = (start, stop) }

    deinit { release() }

    /// Reads a file within one access.
    func read(_ url: URL) -> Data? {
        let isOpen = start(url)
        defer { if isOpen { stop(url) } }
        return try? Data(contentsOf: url)
    }

    /// Begins an access that lasts until `release`, because a player reads again and again.
    func hold(_ url: URL) { if start(url) { held.append(url) } }

    func release() {
        held.forEach(stop)
        held = []
    }
}
