package import Payloads

/// The content that a phone shows of a notification: the fields of `UNNotificationContent`.
package struct ShownContent: Sendable, Equatable {
    /// `UNNotificationInterruptionLevel`.
    package enum InterruptionLevel: String, Sendable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    package struct Sound: Sendable, Equatable {
        package var name: String
        package var isCritical = false
        /// The volume, from 0 to 1.
        package var volume: Double?

        package init(name: String, isCritical: Bool = false, volume: Double? = nil) {
            self.name = name
            self.isCritical = isCritical
            self.volume = volume
        }
    }

    package var title: ShownText?
    package var subtitle: ShownText?
    package var body: ShownText?
    package var badge: Int?
    package var sound: Sound?
    package var threadIdentifier: String?
    package var categoryIdentifier: String?
    package var interruptionLevel = InterruptionLevel.active
    /// The relevance, from 0 to 1.
    package var relevanceScore: Double?
    package var targetContentIdentifier: String?
    /// The complete payload, as the app receives it.
    package var userInfo: JSONValue

    /// The content's texts and user info as JSON, for layouts and webhooks.
    package var json: JSONValue {
        let texts: [(String, String?)] = [
            ("title", title?.text), ("subtitle", subtitle?.text), ("body", body?.text),
            ("categoryIdentifier", categoryIdentifier), ("threadIdentifier", threadIdentifier),
        ]
        return .object(
            texts.map { .init($0, .string($1 ?? "")) }
                + [.init("badge", badge.map { .integer($0) } ?? .null), .init("userInfo", userInfo)]
        )
    }
}
