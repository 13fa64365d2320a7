import Foundation

/// `file:` URLs and the paths they name (RFC 8089).
enum FileURL {
    static func url(of path: String) -> String { URL(filePath: path).absoluteString }

    /// Returns the path that `text` names as a `file:` URL or as an absolute or relative path; `nil` for any other URL.
    static func path(of text: String) -> String? {
        guard let scheme = URL(string: text)?.scheme?.lowercased(), scheme.count > 1 else {
            return text.isEmpty ? nil : text
        }
        guard scheme == "file", let path = URL(string: text)?.path(percentEncoded: false), path.hasPrefix("/") else {
            return nil
        }
        return path
    }
}
