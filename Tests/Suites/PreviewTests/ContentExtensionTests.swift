import Foundation
import Preview
import Testing

@Suite("The Info.plist of a content extension")
struct ContentExtensionTests {
    private func plist(
        _ attributes: [String: Any],
        point: String = "com.apple.usernotifications.content-extension",
        format: PropertyListSerialization.PropertyListFormat = .xml,
    ) throws -> [UInt8] {
        let root: [String: Any] = [
            "NSExtension": ["NSExtensionAttributes": attributes, "NSExtensionPointIdentifier": point]
        ]
        return [UInt8](try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0))
    }

    @Test("is read in XML and in binary form", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func forms(format: PropertyListSerialization.PropertyListFormat) throws {
        let bytes = try plist(
            [
                "UNNotificationExtensionCategory": ["a", "b"],
                "UNNotificationExtensionInitialContentSizeRatio": 0.6,
                "UNNotificationExtensionDefaultContentHidden": true,
                "UNNotificationExtensionUserInteractionEnabled": true,
                "UNNotificationExtensionOverridesDefaultTitle": true,
            ],
            format: format,
        )
        let expected = ContentExtension(
            categories: ["a", "b"],
            initialContentSizeRatio: 0.6,
            isDefaultContentHidden: true,
            isUserInteractionEnabled: true,
            overridesDefaultTitle: true,
        )
        #expect(try ContentExtension(infoPlist: bytes) == expected)
    }

    @Test("may have its category as a string, and omit the flags")
    func least() throws {
        let bytes = try plist([
            "UNNotificationExtensionCategory": "a", "UNNotificationExtensionInitialContentSizeRatio": 1,
        ])
        #expect(try ContentExtension(infoPlist: bytes) == ContentExtension(categories: ["a"]))
    }

    @Test("is refused with a reason if it is invalid")
    func refusals() throws {
        let ratio = "UNNotificationExtensionInitialContentSizeRatio"
        let category = "UNNotificationExtensionCategory"
        let bad: [([UInt8], String)] = [
            (Array("hello".utf8), "not a property list"),
            (try plist([category: "a", ratio: 1], point: "com.apple.usernotifications.service"), "is not of"),
            (try plist([ratio: 1]), category),
            (try plist([category: ["a", ""], ratio: 1]), category),
            (try plist([category: "a"]), ratio),
            (try plist([category: "a", ratio: -1]), ratio),
            (
                try plist([category: "a", ratio: 1, "UNNotificationExtensionDefaultContentHidden": "x"]),
                "true or false"
            ),
        ]
        for (bytes, reason) in bad {
            let error = #expect(throws: CategoryFileError.self) { try ContentExtension(infoPlist: bytes) }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        }
    }
}
