import Mustache
import Templates

/// How a category's content extension shows a notification: an HTML page with the content's fields, in Mustache.
///
///     {{title}} {{subtitle}} {{body}} {{categoryIdentifier}} {{threadIdentifier}} {{badge}}
///     {{userInfo.location}}                      what else is in the payload
///     {{#attachments}}<img src="{{url}}">{{/attachments}}, with identifier, type, width and height
///
/// The page is shown in a sandbox without scripts. Its `<style nonce="{{nonce}}">` holds for it; nothing else is loaded
/// but the notification's attachments.
package struct LayoutTemplate: Sendable {
    private let template: MustacheTemplate

    package init(_ source: String) throws(LayoutError) {
        // What is not escaped, and what would bring in or change other text: nothing of it has a use here.
        for tag in ["{{{", "{{&", "{{>", "{{<", "{{=", "{{%", "{{$"] where Self.tags(in: source).contains(tag) {
            throw LayoutError("A layout has no tags that begin with \(tag): fields are always escaped.")
        }
        do {
            template = try HTMLText.template(source)
        } catch {
            throw LayoutError("It is no Mustache template: \(error)")
        }
    }

    /// A whole page.
    package func page(_ content: LayoutContent, nonce: String) -> String {
        var fields = content.fields
        fields["nonce"] = nonce
        return template.render(fields)
    }

    /// How its tags begin, spaces left out.
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
