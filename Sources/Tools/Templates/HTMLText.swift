package import Mustache

/// Templates of HTML and XML whose tags are escaped scalar by scalar.
///
/// swift-mustache's own escaping looks at characters as people see them, and a `"` or `<` that a combining mark or an
/// Arabic number sign joins is another one to it: such a payload could end an attribute or begin a tag.
package enum HTMLText {
    private struct ContentType: MustacheContentType {
        func escapeText(_ text: String) -> String { HTMLText.escape(text) }
    }

    private static let name = "ATTACHD_HTML"
    private static let isRegistered: Bool = {
        MustacheContentTypes.register(ContentType(), named: name)
        return true
    }()

    package static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            // A carriage return would come back as a newline, and a NUL not at all.
            case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
            case "\0": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Partials begin with the library's own escaping again, so each template says for itself which one it wants.
    package static func template(_ source: String) throws -> MustacheTemplate {
        precondition(isRegistered)
        return try MustacheTemplate(string: "{{% CONTENT_TYPE:\(name)}}\n\(source)")
    }
}
