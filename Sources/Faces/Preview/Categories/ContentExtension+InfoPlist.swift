import Foundation

extension ContentExtension {
    private static let point = "com.apple.usernotifications.content-extension"

    /// Reads the `Info.plist` of a content extension, in XML or binary.
    package init(infoPlist bytes: [UInt8]) throws(InfoPlistError) {
        guard
            let list = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            let root = list as? [String: Any]
        else { throw InfoPlistError("It is not a property list in XML or binary form.") }
        guard let section = root["NSExtension"] as? [String: Any],
            section["NSExtensionPointIdentifier"] as? String == Self.point
        else { throw InfoPlistError("Its NSExtension is not of \(Self.point).") }
        let attributes = section["NSExtensionAttributes"] as? [String: Any] ?? [:]
        let category = attributes["UNNotificationExtensionCategory"]
        let categories = (category as? String).map { [$0] } ?? category as? [String] ?? []
        guard !categories.isEmpty, categories.allSatisfy({ !$0.isEmpty }) else {
            throw InfoPlistError("UNNotificationExtensionCategory must be a text or a list of texts.")
        }
        let ratio = attributes["UNNotificationExtensionInitialContentSizeRatio"] as? NSNumber
        guard let ratio, Self.sizeRatios.contains(ratio.doubleValue) else {
            throw InfoPlistError("UNNotificationExtensionInitialContentSizeRatio must be a number from 0.01 to 10.")
        }
        func flag(_ key: String) throws(InfoPlistError) -> Bool {
            guard let value = attributes[key] else { return false }
            guard let flag = value as? Bool else { throw InfoPlistError("\(key) must be true or false.") }
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

/// A problem in an `Info.plist`.
package struct InfoPlistError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
