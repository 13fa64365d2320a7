/// The attributes in the `Info.plist` of a notification content extension, which define its display.
package struct ContentExtension: Sendable, Equatable {
    /// `UNNotificationExtensionCategory`: the categories that the extension shows.
    package var categories: [String]
    /// `UNNotificationExtensionInitialContentSizeRatio`: the initial ratio of the view's height to its width.
    package var initialContentSizeRatio: Double
    /// `UNNotificationExtensionDefaultContentHidden`: whether title, subtitle and body are hidden below the view.
    package var isDefaultContentHidden: Bool
    /// `UNNotificationExtensionUserInteractionEnabled`: whether the view receives touches.
    package var isUserInteractionEnabled: Bool
    /// `UNNotificationExtensionOverridesDefaultTitle`: whether the extension's title replaces the app's name.
    package var overridesDefaultTitle: Bool

    package init(
        categories: [String],
        initialContentSizeRatio: Double = 1,
        isDefaultContentHidden: Bool = false,
        isUserInteractionEnabled: Bool = false,
        overridesDefaultTitle: Bool = false,
    ) {
        self.categories = categories
        self.initialContentSizeRatio = initialContentSizeRatio
        self.isDefaultContentHidden = isDefaultContentHidden
        self.isUserInteractionEnabled = isUserInteractionEnabled
        self.overridesDefaultTitle = overridesDefaultTitle
    }

    /// The ratios of height to width that a phone can show.
    package static let sizeRatios = 0.01...10.0
}
