import Mustache
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

    package init(_ source: String) throws(LayoutError) {
        // Layouts do not need tags that are not escaped, or that include or change other text.
        for tag in ["{{{", "{{&", "{{>", "{{<", "{{=", "{{%", "{{$"] where Self.tags(in: source).contains(tag) {
            throw LayoutError("A layout cannot have tags that begin with \(tag). Fields are always escaped.")
        }
        do {
            template = try HTMLText.template(source)
        } catch {
            throw LayoutError("It is not a Mustache template: \(error)")
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

package struct LayoutError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
