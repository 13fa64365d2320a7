import Mustache
package import Payloads
import Templates

/// The layout in which a category's content extension shows a notification: an HTML page with Mustache tags for the
/// content's fields.
///
///     {{title}} {{subtitle}} {{body}} {{categoryIdentifier}} {{threadIdentifier}} {{badge}}
///     {{userInfo.location}}                      any other field of the payload
///     {{#attachments}}<img src="{{url}}">{{/attachments}}, with identifier, type, width and height
///
/// The page is shown in a sandbox without scripts. Its `<style nonce="{{nonce}}">` applies. Apart from that, only the
/// notification's attachments are loaded.
package struct LayoutTemplate: Sendable {
    private let template: MustacheTemplate

    package init(_ source: String) throws(CategoryFileError) {
        // Layouts do not need tags that are not escaped, or that include or change other text.
        for tag in ["{{{", "{{&", "{{>", "{{<", "{{=", "{{%", "{{$"] where Self.tags(in: source).contains(tag) {
            throw CategoryFileError("A layout cannot have tags that begin with \(tag). Fields are always escaped.")
        }
        do {
            template = try HTMLText.template(source)
        } catch {
            throw CategoryFileError("It is not a Mustache template: \(error)")
        }
    }

    /// Returns the complete page.
    package func page(_ content: LayoutContent, nonce: String) -> String {
        var fields = content.fields
        fields["nonce"] = nonce
        return template.render(fields)
    }

    /// Returns the beginnings of the tags, without spaces.
    private static func tags(in source: String) -> Set<String> {
        let beginnings = source.split(separator: "{{", omittingEmptySubsequences: false).dropFirst().map { rest in
            "{{" + rest.drop { $0.isWhitespace }.prefix(1)
        }
        return Set(beginnings)
    }
}

/// A problem in a file that a category names: its layout, or the `Info.plist` of its content extension.
package struct CategoryFileError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

// MARK: - The values

/// The values of a layout's tags: the notification's content as JSON and the URLs of its attachments.
package struct LayoutContent {
    let fields: [String: Any]

    /// Creates the values from `content`, which has title, subtitle, body and so on, `userInfo` and a list of
    /// `attachments`.
    package init(_ content: JSONValue) { fields = content.mustacheValue as? [String: Any] ?? [:] }
}

extension JSONValue {
    /// The value for Mustache. An empty text becomes `nil`, so that a section with its name is omitted.
    fileprivate var mustacheValue: Any? {
        switch self {
        case .null, .unpaired: nil
        case .bool(let flag): flag
        case .number(let text): text
        case .string(let text): text.isEmpty ? nil : text
        case .array(let elements): elements.compactMap(\.mustacheValue)
        case .object(let members):
            Dictionary(
                members.compactMap { member in member.value.mustacheValue.map { (member.key, $0) } },
                uniquingKeysWith: { _, last in last },
            )
        }
    }
}

// MARK: - The frame

/// The frame in which a content extension's view is shown.
struct LayoutView {
    var category: String
    /// The initial ratio of height to width.
    var ratio: Double
    var isInteractive: Bool
    var overridesTitle: Bool
    var hidesDefaultContent: Bool
}
