package import Files
import Media
package import Values

/// The API token that HTTP clients send: the first line of the token file.
package enum APIToken {
    /// Returns `nil` unless the first line of `text` is a token of at least 16 characters.
    static func parse(_ text: String) -> Secret<String>? {
        text.split(whereSeparator: \.isNewline).first.flatMap { $0.count >= 16 ? Secret(String($0)) : nil }
    }

    package static func read(_ file: SecretFile) throws(SettingsError) -> Secret<String> {
        let key = SettingsKey.apiTokenFile
        let text = try SettingsValues.reading(key) { () throws(FileError) in try file.read() }
        guard let token = parse(text) else {
            let reason = "\(file.path) must hold a token of at least 16 characters in one line."
            throw SettingsError(key: key.rawValue, reason: reason)
        }
        return token
    }
}
