/// A payload as the rules look at it.
struct LintSubject: Sendable {
    let request: NotificationRequest
    /// The payload whose rules are checked: as it came, or as it goes on.
    let payload: JSONValue
    /// The payload with the JSON of its strings in their places.
    let content: JSONValue
    /// The attachments whose URLs go to the device as the sender wrote them.
    let attachments: [LintedAttachment]
    /// The time of the check, in seconds since 1970.
    let now: Int
    /// The categories with a content extension, and whether that hides the system's title and text.
    let extensionCategories: [String: Bool]
    let dialects: [Dialect]

    /// A Boolean value that indicates whether the payload is of a Live Activity, which runs no service extension.
    var isLiveActivity: Bool { payload["aps"]?["content-state"] != nil }

    /// A Boolean value that indicates whether the sender means no alert: a background push.
    var isBackground: Bool { payload["aps"]?["content-available"]?.isYes == true }

    /// The attachments for iPhone, iPad and Watch.
    var forApple: [LintedAttachment] { attachments.filter { $0.platform == .apple } }
}
