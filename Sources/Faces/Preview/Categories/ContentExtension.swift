/// How a notification content extension wants to be shown: the attributes of its `Info.plist`.
package struct ContentExtension: Sendable, Equatable {
    /// `UNNotificationExtensionCategory`: those that it shows.
    package var categories: [String]
    /// `UNNotificationExtensionInitialContentSizeRatio`: height by width, at which its view opens.
    package var initialContentSizeRatio: Double
    /// `UNNotificationExtensionDefaultContentHidden`: whether title, subtitle and body are left out below its view.
    package var isDefaultContentHidden: Bool
    /// `UNNotificationExtensionUserInteractionEnabled`: whether touches reach its view.
    package var isUserInteractionEnabled: Bool
    /// `UNNotificationExtensionOverridesDefaultTitle`: whether its own title replaces the app's name.
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

    /// Heights by width that can be shown on a phone at all.
    package static let sizeRatios = 0.01...10.0
}
