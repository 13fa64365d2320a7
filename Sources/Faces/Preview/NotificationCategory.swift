import Foundation

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

// MARK: - Actions

/// A button below an expanded notification, like `UNNotificationAction` or `UNTextInputNotificationAction`.
package struct NotificationAction: Sendable, Equatable {
    /// `UNNotificationActionOptions`.
    package enum Option: String, Sendable, CaseIterable {
        case authenticationRequired, destructive, foreground
    }

    package struct TextInput: Sendable, Equatable {
        package var buttonTitle: String
        package var placeholder: String

        package init(buttonTitle: String = "Send", placeholder: String = "") {
            self.buttonTitle = buttonTitle
            self.placeholder = placeholder
        }
    }

    package var identifier: String
    package var title: String
    package var options: Set<Option>
    package var textInput: TextInput?

    package init(identifier: String, title: String, options: Set<Option> = [], textInput: TextInput? = nil) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.textInput = textInput
    }

    /// The identifier of a tap on the notification itself: `UNNotificationDefaultActionIdentifier`.
    package static let defaultIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
    /// The identifier of a dismissal: `UNNotificationDismissActionIdentifier`.
    package static let dismissIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
}

// MARK: - The content extension

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

extension ContentExtension {
    private static let point = "com.apple.usernotifications.content-extension"

    /// Reads the `Info.plist` of a content extension, in XML or binary.
    package init(infoPlist bytes: [UInt8]) throws(CategoryFileError) {
        guard
            let list = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            let root = list as? [String: Any]
        else { throw CategoryFileError("It is not a property list in XML or binary form.") }
        guard let section = root["NSExtension"] as? [String: Any],
            section["NSExtensionPointIdentifier"] as? String == Self.point
        else { throw CategoryFileError("Its NSExtension is not of \(Self.point).") }
        let attributes = section["NSExtensionAttributes"] as? [String: Any] ?? [:]
        let category = attributes["UNNotificationExtensionCategory"]
        let categories = (category as? String).map { [$0] } ?? category as? [String] ?? []
        guard !categories.isEmpty, categories.allSatisfy({ !$0.isEmpty }) else {
            throw CategoryFileError("UNNotificationExtensionCategory must be a text or a list of texts.")
        }
        let ratio = attributes["UNNotificationExtensionInitialContentSizeRatio"] as? NSNumber
        guard let ratio, Self.sizeRatios.contains(ratio.doubleValue) else {
            throw CategoryFileError("UNNotificationExtensionInitialContentSizeRatio must be a number from 0.01 to 10.")
        }
        func flag(_ key: String) throws(CategoryFileError) -> Bool {
            guard let value = attributes[key] else { return false }
            guard let flag = value as? Bool else { throw CategoryFileError("\(key) must be true or false.") }
            return flag
        }
        self.init(
            categories: categories,
            initialContentSizeRatio: ratio.doubleValue,
            isDefaultContentHidden: try flag("UNNotificationExtensionDefaultContentHidden"),
            isUserInteractionEnabled: try flag("UNNotificationExtensionUserInteractionEnabled"),
            overridesDefaultTitle: try flag("UNNotificationExtensionOverridesDefaultTitle"),
        )
    }
}
