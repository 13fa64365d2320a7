import HTTPClient
import Files
import Foundation
import Media
import Timing
import Values

/// A reader of single settings. It checks each value, and its errors say what to write instead.
struct SettingsValues {
    private let source: SettingsSource
    private let file: ConfigurationTable?

    init(_ source: SettingsSource, _ file: ConfigurationTable?) {
        self.source = source
        self.file = file
    }

    func text(_ key: SettingsKey) throws(SettingsError) -> String? {
        try value(of: key, "a string", \.text, { $0 }) { $0.text(key) }
    }

    func flag(_ key: SettingsKey) throws(SettingsError) -> Bool? {
        try value(of: key, "true or false", \.flag, Self.flag) { $0.flag(key) }
    }

    func number(_ key: SettingsKey, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let number = try value(of: key, expected, \.number, { Int($0) }, { $0.number(key) }) else { return nil }
        guard range.contains(number) else {
            throw SettingsError(key: key.rawValue, reason: "\(number) is not \(expected).")
        }
        return number
    }

    /// Returns the value from the first source that has one. Throws if that value is not `expected`.
    private func value<Value>(
        of key: SettingsKey,
        _ expected: String,
        _ option: (SettingsSource.Option) -> Value?,
        _ variable: (String) -> Value?,
        _ file: (ConfigurationTable) -> Value?,
    ) throws(SettingsError) -> Value? {
        let found: Value?
        if let given = source.options[key] {
            found = option(given)
        } else if let text = source.variable(key.variable) {
            found = variable(text)
        } else if let table = self.file, table.has(key) {
            found = file(table)
        } else {
            return nil
        }
        guard let found else {
            throw SettingsError(key: key.rawValue, reason: "The value is not \(expected).")
        }
        return found
    }

    private static func flag(_ variable: String) -> Bool? {
        switch variable.lowercased() {
        case "yes", "1": true
        case "no", "0": false
        case let other: Bool(other)
        }
    }

    func duration(
        _ key: SettingsKey,
        from shortest: Duration = .nanoseconds(1),
        upTo longest: Duration,
    ) throws(SettingsError) -> Duration? {
        guard let text = try text(key) else { return nil }
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
    ) throws(SettingsError) -> Choice? {
        guard let text = try text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not a valid value. Choose one of: \(known).")
        }
        return choice
    }

    func addresses(_ key: SettingsKey) throws(SettingsError) -> [CIDR] {
        let texts = try value(of: key, "a list of CIDRs", \.texts, Self.list) { $0.texts(key) }
        do throws(CIDR.ParseError) {
            return try (texts ?? []).map { text throws(CIDR.ParseError) in try CIDR(text) }
        } catch {
            throw SettingsError(key: key.rawValue, reason: error.description)
        }
    }

    /// Reads names of formats and codecs.
    func formats(_ key: SettingsKey) throws(SettingsError) -> DisabledFormats {
        let names = try value(of: key, "a list of formats and codecs, such as [heic, hevc]", \.texts, Self.list) {
            $0.texts(key)
        }
        let (disabled, unknown) = DisabledFormats.reading(names ?? [])
        guard let name = unknown.first else { return disabled }
        let known = DisabledFormats.allNames
        let nearest = Suggestion.nearest(to: name, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
        let reason =
            "\"\(name)\" is neither a format nor a codec.\(nearest) Write some of: \(known.joined(separator: ", "))."
        throw SettingsError(key: key.rawValue, reason: reason)
    }

    func address(_ key: SettingsKey) throws(SettingsError) -> HostAndPort? {
        guard let text = try text(key) else { return nil }
        guard let address = HostAndPort(text) else {
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not HOST:PORT. Write it as 127.0.0.1:8080.")
        }
        return address
    }

    func existingFile(_ key: SettingsKey) throws(SettingsError) -> String? {
        guard let path = try text(key) else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SettingsError(
                key: key.rawValue,
                reason: "The file \(path) cannot be read. Check that it exists and is readable."
            )
        }
        return AbsolutePath.of(path)
    }

    /// Returns the secret file that the setting names.
    func secretFile(_ key: SettingsKey, isGroupReadable: Bool) throws(SettingsError) -> SecretFile? {
        guard let path = try text(key) else { return nil }
        return SecretFile(AbsolutePath.of(path), isGroupReadable: isGroupReadable)
    }

    /// Reads a secret file. Its errors become errors of the setting.
    static func reading<Value>(
        _ key: SettingsKey,
        _ read: () throws(FileError) -> Value,
    ) throws(SettingsError) -> Value {
        do throws(FileError) {
            return try read()
        } catch {
            throw SettingsError(key: key.rawValue, reason: error.reasonOfSetting)
        }
    }

    /// Returns an `http` or `https` URL to which a path can be appended.
    func publicURL(
        _ key: SettingsKey,
        example: String = "https://push.example.com",
    ) throws(SettingsError) -> String? {
        guard let text = try text(key) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.query() == nil, url.fragment() == nil, url.user() == nil
        else {
            // The value is not repeated: it may contain a password, a token in its query, or be the token itself.
            let reason =
                "This is not a usable URL. Write it as \(example), without user and password, query and fragment."
            throw SettingsError(key: key.rawValue, reason: reason)
        }
        return text
    }

    /// Returns a number of bytes, written with decimal units: `500MB`, `10GB`.
    func size(_ key: SettingsKey) throws(SettingsError) -> Int? {
        guard let text = try text(key) else { return nil }
        guard let size = ByteSizeText.parse(text), size > 0 else {
            throw SettingsError(key: key.rawValue, reason: "\"\(text)\" is not a size. Write it as 500MB or 10GB.")
        }
        return size
    }

    /// Returns the elements of a list in a variable, which has commas between them.
    private static func list(_ variable: String) -> [String] {
        variable.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension SettingsSource.Option {
    fileprivate var text: String? {
        switch self {
        case .text(let text): text
        case .secret(let text): text.revealed
        case .texts, .number, .flag: nil
        }
    }

    fileprivate var texts: [String]? { if case .texts(let texts) = self { texts } else { nil } }

    fileprivate var number: Int? { if case .number(let number) = self { number } else { nil } }

    fileprivate var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
}

extension FileError {
    /// The description for a setting that names a file with a secret. It does not repeat a path that leads to no file: the
    /// path may be the secret itself, in place of its file.
    var reasonOfSetting: String {
        guard [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code) else { return description }
        return "There is no file of this name. The name is not repeated here because it may be the secret itself. "
            + "Write the secret to a file with mode 600, and give the path of that file."
    }
}
