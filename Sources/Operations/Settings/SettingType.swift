import Base
import Files
import FoundationEssentials
import Glibc
import HTTPClient
import Media
import Storage

/// The type of a setting: how its values are written, read and checked. Its errors say what to write instead.
struct SettingType<Value: Sendable>: Sendable {
    let form: SettingDeclaration.Form
    var words: [String] = []
    /// Returns the checked value from the first source that has one; `nil` if none has.
    let read: @Sendable (SettingDeclaration, SettingsReader) throws(SettingsError) -> Value?
    /// Returns a value as users write it, for a default in a help text; `nil` if a default goes without saying.
    let text: @Sendable (Value) -> String?

    init(
        _ form: SettingDeclaration.Form,
        words: [String] = [],
        text: @escaping @Sendable (Value) -> String? = { _ in nil },
        read: @escaping @Sendable (SettingDeclaration, SettingsReader) throws(SettingsError) -> Value?,
    ) {
        (self.form, self.words, self.read, self.text) = (form, words, read, text)
    }

    /// Creates a type whose values are written as text.
    init(
        words: [String] = [],
        isSecret: Bool = false,
        text: @escaping @Sendable (Value) -> String? = { _ in nil },
        parse: @escaping @Sendable (String, SettingDeclaration, SettingsReader) throws(SettingsError) -> Value,
    ) {
        self.init(isSecret ? .secret : .text, words: words, text: text) { setting, reader throws(SettingsError) in
            guard let text = try reader.text(setting) else { return nil }
            return try parse(text, setting, reader)
        }
    }

    /// Creates a type whose values are lists of texts. `expected` names them for errors.
    init(
        listOf expected: String,
        words: [String] = [],
        parse: @escaping @Sendable ([String], SettingDeclaration) throws(SettingsError) -> Value,
    ) {
        self.init(.texts, words: words) { setting, reader throws(SettingsError) in
            guard let texts = try reader.texts(setting, expected) else { return nil }
            return try parse(texts, setting)
        }
    }
}

// MARK: - Simple values

extension SettingType<String> {
    static func text(words: [String] = []) -> Self { Self(words: words, text: { $0 }) { text, _, _ in text } }

    /// A URL or a mail address that fits into a comment of a header field (RFC 9110, section 5.6.5).
    static let contact = Self { text, setting, _ throws(SettingsError) in
        let isPlain = text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"()\\".utf8.contains($0) }
        guard isPlain, text.utf8.count <= 200, text.contains("@") || text.hasPrefix("https://") else {
            throw setting.refusal("Write an https URL or a mail address, such as push@example.com.")
        }
        return text
    }

    /// The path of a folder.
    static let folder = Self { path, _, _ in AbsolutePath.of(path) }

    /// The path of a readable file.
    static let readableFile = Self { path, setting, _ throws(SettingsError) in
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw setting.refusal("The file \(path) cannot be read. Check that it exists and is readable.")
        }
        return AbsolutePath.of(path)
    }

    /// An `http` or `https` URL to which a path can be appended.
    static func publicURL(example: String) -> Self {
        Self { text, setting, _ throws(SettingsError) in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
                url.query() == nil, url.fragment() == nil, url.user() == nil
            else {
                // The value is not repeated: it may contain a password, a token in its query, or be the token itself.
                throw setting.refusal(
                    "This is not a usable URL. Write it as \(example), without user and password, query and fragment."
                )
            }
            return text
        }
    }
}

extension SettingType<Bool> {
    /// A flag whose option means `meaning`.
    static func flag(_ meaning: Bool = true) -> Self {
        Self(.flag(meaning)) { setting, reader throws(SettingsError) in try reader.flag(setting) }
    }
}

extension SettingType<Int> {
    static func number(in range: ClosedRange<Int>) -> Self {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Self(.number, text: { "\($0)" }) { setting, reader throws(SettingsError) in
            guard let number = try reader.number(setting, expected) else { return nil }
            guard range.contains(number) else { throw setting.refusal("\(number) is not \(expected).") }
            return number
        }
    }

    /// A number of bytes, written with decimal units: `500MB`, `10GB`.
    static let size = Self(text: written) { text, setting, _ throws(SettingsError) in
        guard let size = ByteSizeText.parse(text), size > 0 else {
            throw setting.refusal("\"\(text)\" is not a size. Write it as 500MB or 10GB.")
        }
        return size
    }

    private static func written(_ size: Int) -> String {
        for (unit, bytes) in [("GB", 1_000_000_000), ("MB", 1_000_000)] where size % bytes == 0 {
            return "\(size / bytes)\(unit)"
        }
        return "\(size)B"
    }
}

extension SettingType<Duration> {
    static func duration(from shortest: Duration = .nanoseconds(1), upTo longest: Duration) -> Self {
        Self(text: written) { text, setting, _ throws(SettingsError) in
            let parsed = text == "0" ? .zero : DurationText.parse(text)
            guard let duration = parsed, (shortest...longest).contains(duration) else {
                let limit = longest.milliseconds / 1000
                throw setting.refusal(
                    "\"\(text)\" is not a duration of at most \(limit)s. Write it as 800ms or 20s."
                )
            }
            return duration
        }
    }

    private static func written(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        return milliseconds % 3_600_000 == 0 ? "\(milliseconds / 3_600_000)h" : DurationText.text(duration)
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable {
    static var choice: Self {
        let known = Value.allCases.map(\.rawValue)
        return Self(words: known, text: \.rawValue) { text, setting, _ throws(SettingsError) in
            guard let choice = Value(rawValue: text) else {
                throw setting.refusal(
                    "\"\(text)\" is not a valid value. Choose one of: \(known.joined(separator: ", "))."
                )
            }
            return choice
        }
    }
}

// MARK: - Addresses, formats and files

extension SettingType<HostAndPort> {
    static let address = Self(text: \.description) { text, setting, _ throws(SettingsError) in
        guard let address = HostAndPort(text) else {
            throw setting.refusal("\"\(text)\" is not HOST:PORT. Write it as 127.0.0.1:8080.")
        }
        return address
    }
}

extension SettingType<[CIDR]> {
    static let addressBlocks = Self(listOf: "a list of CIDRs") { texts, setting throws(SettingsError) in
        try SettingsError.checking(setting.key) { () throws(CIDR.ParseError) in
            try texts.map { text throws(CIDR.ParseError) in try CIDR(text) }
        }
    }
}

extension SettingType<DisabledFormats> {
    /// Names of formats and codecs.
    static let formats = Self(
        listOf: "a list of formats and codecs, such as [heic, hevc]",
        words: DisabledFormats.allNames,
    ) { names, setting throws(SettingsError) in
        let (disabled, unknown) = DisabledFormats.reading(names)
        guard let name = unknown.first else { return disabled }
        let known = DisabledFormats.allNames
        let nearest = Suggestion.nearest(to: name, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
        throw setting.refusal(
            "\"\(name)\" is neither a format nor a codec.\(nearest) Write some of: \(known.joined(separator: ", "))."
        )
    }
}

extension SettingType<FileHandover> {
    static let handover = Self(words: ["sendfile"]) { text, setting, _ throws(SettingsError) in
        guard let handover = FileHandover(text) else {
            throw setting.refusal("\"\(text)\" is not a valid value. Write nginx:/PREFIX, or sendfile.")
        }
        return handover
    }
}

extension SettingType<SystemGroup> {
    static let group = Self { name, setting, _ throws(SettingsError) in
        guard let group = SystemGroup(named: name) else {
            throw setting.refusal("There is no group \"\(name)\". Create it, or name that of the server in front.")
        }
        return group
    }
}

extension SettingType<SecretFile> {
    /// A file with a secret. It is read where the secret is needed.
    static let secretFile = Self { path, _, reader throws(SettingsError) in
        SecretFile(AbsolutePath.of(path), isGroupReadable: try reader.hasGroupReadableKeys)
    }
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
