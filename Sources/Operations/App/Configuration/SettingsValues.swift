import Configuration
import Downloads
import Foundation
import Media
import Storage
import Timing
import Values

/// A reader of single settings. It checks each value, and its errors say what to write instead.
struct SettingsValues {
    let reader: ConfigReader

    func text(_ key: SettingsKey) async throws(SettingsError) -> String? {
        try await read(key) { try await reader.fetchString(forKey: ConfigKey(key.rawValue)) }
    }

    func flag(_ key: SettingsKey) async throws(SettingsError) -> Bool? {
        try await read(key, "true or false") { try await reader.fetchBool(forKey: ConfigKey(key.rawValue)) }
    }

    func number(_ key: SettingsKey, in range: ClosedRange<Int>) async throws(SettingsError) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        // YAML has numbers to the base of 60, such as 1:30, and the YAML reader traps on large ones.
        if let text = try? await reader.fetchString(forKey: ConfigKey(key.rawValue)), text.contains(":") {
            throw SettingsError(key: key.rawValue, reason: "The value is not \(expected).")
        }
        let number = try await read(key, expected) { try await reader.fetchInt(forKey: ConfigKey(key.rawValue)) }
        guard let number else { return nil }
        guard range.contains(number) else {
            throw SettingsError(key: key.rawValue, reason: "\(number) is not \(expected).")
        }
        return number
    }

    func duration(
        _ key: SettingsKey,
        from shortest: Duration = .nanoseconds(1),
        upTo longest: Duration,
    ) async throws(SettingsError) -> Duration? {
        guard let text = try await text(key) else { return nil }
        let parsed = text == "0" ? .zero : DurationText.parse(text)
        guard let duration = parsed, (shortest...longest).contains(duration) else {
            let reason =
                "\"\(text)\" is not a duration of at most \(longest.milliseconds / 1000)s. Write it as 800ms or 20s."
            throw SettingsError(key: key.rawValue, reason: reason)
        }
        return duration
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: SettingsKey
    ) async throws(SettingsError) -> Choice? {
        guard let text = try await text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not a valid value. Choose one of: \(known).")
        }
        return choice
    }

    func addresses(_ key: SettingsKey) async throws(SettingsError) -> [CIDR] {
        let texts = try await read(key, "a list of CIDRs") {
            try await reader.fetchStringArray(forKey: ConfigKey(key.rawValue))
        }
        do throws(CIDR.ParseError) {
            return try (texts ?? []).map { text throws(CIDR.ParseError) in try CIDR(text) }
        } catch {
            throw SettingsError(key: key.rawValue, reason: error.description)
        }
    }

    func address(_ key: SettingsKey) async throws(SettingsError) -> (String, Int)? {
        guard let text = try await text(key) else { return nil }
        guard let address = HostAndPort(text) else {
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not HOST:PORT. Write it as 127.0.0.1:8080.")
        }
        return (address.host, address.port)
    }

    func existingFile(_ key: SettingsKey) async throws(SettingsError) -> String? {
        guard let path = try await text(key) else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SettingsError(
                key: key.rawValue,
                reason: "The file \(path) cannot be read. Check that it exists and is readable."
            )
        }
        return path
    }

    /// Returns the secret file that the setting names.
    func secretFile(_ key: SettingsKey, isGroupReadable: Bool) async throws(SettingsError) -> SecretFile? {
        guard let path = try await text(key) else { return nil }
        return SecretFile(path, isGroupReadable: isGroupReadable)
    }

    /// Reads a secret file. Its errors become errors of the setting.
    static func reading<Value>(
        _ key: SettingsKey,
        _ read: () throws(StoreError) -> Value,
    ) throws(SettingsError) -> Value {
        do throws(StoreError) {
            return try read()
        } catch {
            throw SettingsError(key: key.rawValue, reason: "\(error)")
        }
    }

    /// Returns an `http` or `https` URL to which a path can be appended.
    func publicURL(
        _ key: SettingsKey,
        example: String = "https://push.example.com",
    ) async throws(SettingsError) -> String? {
        guard let text = try await text(key) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.query() == nil, url.fragment() == nil, url.user() == nil
        else {
            // Hides a URL with a user: it may contain a password too.
            let shown = text.contains("@") ? "This" : "\"\(text)\""
            let reason = "\(shown) is not a usable URL. Write it as \(example), without user and password."
            throw SettingsError(key: key.rawValue, reason: reason)
        }
        return text
    }

    /// Returns a number of bytes, written with decimal units: `500MB`, `10GB`.
    func size(_ key: SettingsKey) async throws(SettingsError) -> Int? {
        guard let text = try await text(key) else { return nil }
        guard let size = ByteSizeText.parse(text), size > 0 else {
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not a size. Write it as 500MB or 10GB.")
        }
        return size
    }

    private func read<Value>(
        _ key: SettingsKey,
        _ expected: String = "a string",
        _ fetch: () async throws -> Value?,
    ) async throws(SettingsError) -> Value? {
        do {
            return try await fetch()
        } catch {
            throw SettingsError(key: key.rawValue, reason: "The value is not \(expected).")
        }
    }
}
