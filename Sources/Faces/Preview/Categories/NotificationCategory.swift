/// The actions and the content extension of notifications with the same `aps.category`, like `UNNotificationCategory`.
package struct NotificationCategory: Sendable {
    /// `UNNotificationCategoryOptions`.
    package enum Option: String, Sendable, CaseIterable {
        /// The app is notified when the user dismisses a notification.
        case customDismissAction
        case allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle, allowAnnouncement
    }

    package var identifier: String
    /// The actions in the order of display.
    package var actions: [NotificationAction]
    package var options: Set<Option>
    package var contentExtension: ContentExtension?
    /// The layout of the content extension.
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
