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

/// A text of a notification: the shown text, or the key of the app's localized text.
package struct ShownText: Sendable, Equatable {
    package var text: String
    /// A Boolean value that indicates whether the text is a key for the app to localize. Its arguments follow in
    /// parentheses.
    package var isKey: Bool

    package init(_ text: String, isKey: Bool = false) {
        self.text = text
        self.isKey = isKey
    }

    /// Reads the text at `key` of an alert, or the localization key at `locKey`. Returns `nil` if the alert has
    /// neither.
    init?(_ alert: JSONValue, _ key: String, locKey: String) {
        if let locKeyText = alert["\(locKey)-key"]?.text, !locKeyText.isEmpty {
            var arguments: [String] = []
            if case .array(let values)? = alert["\(locKey)-args"] {
                arguments = values.map { $0.text ?? $0.compactText }
            }
            let list = arguments.isEmpty ? "" : " (\(arguments.joined(separator: ", ")))"
            self.init(locKeyText + list, isKey: true)
        } else if let text = alert[key]?.text, !text.isEmpty {
            self.init(text)
        } else {
            return nil
        }
    }
}

// MARK: - From a payload

extension ShownContent {
    /// Returns the fields from which a push service makes the alert for all platforms, or `null`.
    static func fields(of payload: JSONValue) -> JSONValue {
        let pointers = ContentPointers.all.first { $0.fits(payload) } ?? .payload
        return pointers.fields.flatMap { payload.value(at: $0) } ?? .null
    }

    /// A Boolean value that indicates whether an Apple device shows an alert.
    var hasText: Bool { title != nil || subtitle != nil || body != nil }

    /// Reads the content that an Apple device would show, from a push payload or from a request to a push service.
    package init(_ payload: JSONValue) {
        let pointers = ContentPointers.all.first { $0.fits(payload) } ?? .payload
        func field(_ pointer: JSONPointer?) -> JSONValue? { pointer.flatMap { payload.value(at: $0) } }

        let aps = field(pointers.aps) ?? .object([])
        userInfo = field(pointers.userInfo) ?? payload
        if let text = aps["alert"]?.text {
            body = ShownText(text)
        } else if let alert = aps["alert"] {
            title = ShownText(alert, "title", locKey: "title-loc")
            subtitle = ShownText(alert, "subtitle", locKey: "subtitle-loc")
            body = ShownText(alert, "body", locKey: "loc")
        }
        // The push service makes the alert from these fields.
        if let fields = field(pointers.fields) {
            title = title ?? ShownText(fields, "title", locKey: "title-loc")
            subtitle = subtitle ?? ShownText(fields, "subtitle", locKey: "subtitle-loc")
            body = body ?? ShownText(fields, "body", locKey: "body-loc") ?? ShownText(fields, "message", locKey: "loc")
        }
        let fields = field(pointers.fields) ?? .object([])
        func value(_ keys: String...) -> JSONValue? {
            keys.lazy.compactMap { aps[$0] }.first ?? keys.lazy.compactMap { fields[$0] }.first
        }
        badge = value("badge")?.double.flatMap { Int(exactly: $0) }
        sound = value("sound").flatMap(Sound.init)
        threadIdentifier = value("thread-id", "thread_id", "threadIdentifier")?.text
        categoryIdentifier = value("category", "categoryId", "categoryIdentifier")?.text
        interruptionLevel =
            value("interruption-level", "interruption_level")?.text.flatMap(InterruptionLevel.init) ?? .active
        relevanceScore = value("relevance-score")?.double
        targetContentIdentifier = aps["target-content-id"]?.text
    }
}

extension ShownContent.Sound {
    fileprivate init?(_ value: JSONValue) {
        if let name = value.text, !name.isEmpty {
            self.init(name: name)
        } else if let name = value["name"]?.text {
            self.init(name: name, isCritical: value["critical"]?.isYes ?? false, volume: value["volume"]?.double)
        } else {
            return nil
        }
    }
}

/// The position of a push payload in a pasted message, and the fields from which a push service makes the alert.
struct ContentPointers: Sendable {
    /// A field that only this form of message has.
    var mark: JSONPointer
    var aps: JSONPointer?
    var userInfo: JSONPointer?
    var fields: JSONPointer?

    func fits(_ payload: JSONValue) -> Bool { payload.value(at: mark) != nil }

    /// The push payload itself, as APNs receives it.
    static let payload = ContentPointers(
        mark: JSONPointer(tokens: ["aps"]),
        aps: JSONPointer(tokens: ["aps"]),
        userInfo: JSONPointer(),
    )

    /// All forms. The first one that matches counts.
    static let all = [
        payload,
        // Firebase's HTTP v1 message.
        ContentPointers(
            mark: JSONPointer(tokens: ["message"]),
            aps: JSONPointer(tokens: ["message", "apns", "payload", "aps"]),
            userInfo: JSONPointer(tokens: ["message", "apns", "payload"]),
            fields: JSONPointer(tokens: ["message", "notification"]),
        ),
        // Firebase's message without the object around it, as for an Admin SDK, and the form before HTTP v1.
        ContentPointers(
            mark: JSONPointer(tokens: ["notification"]),
            aps: JSONPointer(tokens: ["apns", "payload", "aps"]),
            userInfo: JSONPointer(tokens: ["apns", "payload"]),
            fields: JSONPointer(tokens: ["notification"]),
        ),
        // gorush: the first notification of its request.
        ContentPointers(
            mark: JSONPointer(tokens: ["notifications", "0"]),
            userInfo: JSONPointer(tokens: ["notifications", "0", "data"]),
            fields: JSONPointer(tokens: ["notifications", "0"]),
        ),
        // Expo's request for one notification, and content that is not a push.
        ContentPointers(
            mark: JSONPointer(tokens: ["title"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
        ContentPointers(
            mark: JSONPointer(tokens: ["body"]),
            userInfo: JSONPointer(tokens: ["data"]),
            fields: JSONPointer()
        ),
    ]
}
