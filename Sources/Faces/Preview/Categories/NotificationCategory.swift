/// The actions that notifications of one `aps.category` have, and the content extension that shows them:
/// `UNNotificationCategory`.
package struct NotificationCategory: Sendable {
    /// `UNNotificationCategoryOptions`.
    package enum Option: String, Sendable, CaseIterable {
        /// The app wants to know when a notification is put away.
        case customDismissAction
        case allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle, allowAnnouncement
    }

    package var identifier: String
    /// In the order in which they are shown.
    package var actions: [NotificationAction]
    package var options: Set<Option>
    package var contentExtension: ContentExtension?
    /// What the content extension shows.
    package var layout: LayoutTemplate?

    package init(
        identifier: String,
        actions: [NotificationAction] = [],
        options: Set<Option> = [],
        contentExtension: ContentExtension? = nil,
        layout: LayoutTemplate? = nil,
    ) {
        self.identifier = identifier
        self.actions = actions
        self.options = options
        self.contentExtension = contentExtension
        self.layout = layout
    }
}
