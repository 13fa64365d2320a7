package import Mustache

/// Templates of HTML and XML whose tags are escaped one Unicode scalar at a time.
///
/// swift-mustache escapes characters instead. A `"` or `<` with a combining mark or an Arabic number sign is a
/// different character, so a payload could use it to end an attribute or begin a tag.
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
            // A parser would turn a carriage return into a newline, and drop a NUL.
            case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
            case "\0": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Parses a template. Each partial must choose the escaping itself, because it starts with the library's own.
    package static func template(_ source: String) throws -> MustacheTemplate {
        precondition(isRegistered)
        return try MustacheTemplate(string: "{{% CONTENT_TYPE:\(name)}}\n\(source)")
    }

    /// Parses a template that is embedded in the program.
    package static func template(embedded bytes: [UInt8]) -> MustacheTemplate {
        do {
            return try template(String(decoding: bytes, as: UTF8.self))
        } catch {
            preconditionFailure("an embedded template is malformed: \(error)")
        }
    }
}
