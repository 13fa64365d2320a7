package import Base
package import Downloads
import Files
import Foundation
import HTTPClient
import Jobs
package import Media
package import Payloads
package import Preview
package import Processing
package import Storage

/// The settings of a process, read and checked once at the start. Each setting of `SettingsTable` is a property; the
/// others are made from several settings, or are sections of the configuration file.
@dynamicMemberLookup
package struct Settings: Sendable {
    package static let table = SettingsTable()
    /// The names and texts of all settings that are options, in the order of help texts.
    package static let all = SettingsTable.all(in: table).map(\.setting.declaration)

    /// The values of the table, by their keys.
    let values: [String: any Sendable]
    /// All settings that are options, as they were written.
    package let listing: [SettingRow]

    /// The known dialects, those of the configuration file first.
    package private(set) var dialects = Dialect.builtIn
    package private(set) var profiles = Profile.builtIn
    /// The profile of attachments for which nothing else selects one.
    package private(set) var profile = Profile.apns
    /// The time limit of one file in a batch. Nobody waits for it, so the default is the longest possible deadline.
    package let fileDeadline: Duration
    package static let defaultFileDeadline = NotificationService.longestTimeLimit
    package let apiToken: Secret<String>?
    /// The path of the configuration file; `nil` if there is none.
    package let configurationFile: String?
    /// Reads `disabledFormats` again, from the same sources.
    package let rereadDisabledFormats: @Sendable () throws -> DisabledFormats
    /// The tenants of the configuration file, by their names.
    package private(set) var tenants: [String: TenantSettings] = [:]
    /// The bucket that ready files are published to; `nil` for none.
    package let publishing: PublishingSettings?
    /// The keys that sign URLs, if not the store's own keys.
    package let signingKeys: SigningKeys?
    /// The rule for sharing attachments between notifications.
    package private(set) var reuse: ReuseRule
    /// The access to sources that need a key.
    package private(set) var access: [AccessRule] = []
    /// The files that the access is read from. They are read again when they change.
    package private(set) var sourceSecrets: [SourceSecret] = []
    /// The notification categories and their actions, for the preview.
    package private(set) var categories: [NotificationCategory] = []
    /// The variables of the environment that are probably misspelled settings.
    package let unknownVariables: [UnknownVariable]

    package subscript<Value>(dynamicMember path: KeyPath<SettingsTable, Setting<Value>>) -> Value {
        let key = Self.table[keyPath: path].declaration.key
        guard let value = values[key] as? Value else { preconditionFailure("\(key) was not read") }
        return value
    }
}

/// The error of an invalid setting: its key, and what to write instead.
package struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package var key: String
    package var reason: String

    package var description: String { "Configuration: \(key): \(reason)" }

    /// Does `make`. Its error becomes the error of the setting `key`.
    static func checking<Value, Failure: Error & CustomStringConvertible>(
        _ key: String,
        _ make: () throws(Failure) -> Value,
    ) throws(SettingsError) -> Value {
        do throws(Failure) {
            return try make()
        } catch {
            throw SettingsError(key: key, reason: error.description)
        }
    }
}

// MARK: - Reading

extension Settings {
    /// Reads and checks all settings. Throws for every malformed value instead of using a default.
    package init(reading source: SettingsSource) throws(SettingsError) {
        let file = try source.file.map { path throws(SettingsError) in try ConfigurationFile(path: path) }
        let reader = SettingsReader(source: source, file: file?.root)
        var values: [String: any Sendable] = [:]
        for (_, setting) in SettingsTable.all(in: Self.table) {
            values[setting.declaration.key] = try setting.anyValue(reader)
        }
        self.values = values
        listing = Self.all.map { SettingRow($0, reader) }
        configurationFile = source.file.map { AbsolutePath.of($0) }
        rereadDisabledFormats = {
            let file = try source.file.map { path throws(SettingsError) in try ConfigurationFile(path: path) }
            return try SettingsReader(source: source, file: file?.root).disabledFormats
        }
        let isDeadlineGiven = reader.written(Self.table.deadline.declaration) != nil
        fileDeadline = isDeadlineGiven ? try reader.deadline : Self.defaultFileDeadline
        reuse = ReuseRule(floor: try reader.reuseTime)
        publishing = try reader.publishing()
        signingKeys = try reader.signingKeyFile.map { file throws(SettingsError) in
            try Self.table.signingKeyFile.reading { () throws(FileError) in try SigningKeys(reading: file) }
        }
        apiToken = try reader.apiTokenFile.map { file throws(SettingsError) in try APIToken.read(file) }
        let sections = try file.map { file throws(SettingsError) in
            try ConfigurationSections(file, try reader.sourceContext(file.folder))
        }
        unknownVariables = UnknownVariable.all(
            in: source.environment.revealed,
            named: sections?.sources.variables ?? [],
        )
        if let sections { add(sections) }
        profile = try profile(named: self.profileName)
        try check()
    }

    private mutating func add(_ sections: ConfigurationSections) {
        // The user's dialects come first: the user knows the payloads better.
        dialects = sections.dialects + dialects
        for profile in sections.profiles {
            let place = profiles.firstIndex { $0.name == profile.name } ?? profiles.endIndex
            profiles.replaceSubrange(place..<min(place + 1, profiles.endIndex), with: [profile])
        }
        reuse.sources = sections.sources.rules
        (access, sourceSecrets) = (sections.sources.access, sections.sources.secrets)
        categories = sections.categories
        tenants = sections.tenants
    }

    /// Throws if settings contradict each other.
    private func check() throws(SettingsError) {
        let table = Self.table
        guard !self.hasFileURLs || self.publicURL == nil else {
            throw table.hasFileURLs.refusal(
                "Payloads get the URLs below --public-url. Leave out this option, or that one."
            )
        }
        guard publishing == nil || self.publicURL != nil else {
            throw table.publish.refusal(
                "Files are published to a bucket, but phones have no URL to fetch them from. "
                    + "Give the bucket's or the CDN's URL with --public-url."
            )
        }
        if !self.hasWorker, !self.queue.isShared {
            throw table.hasWorker.refusal(
                "Nobody else can work on the queue's file. Give a queue on Redis, or leave --no-worker out."
            )
        }
        guard self.metricsAddress != self.listen || port == 0 else {
            throw table.metricsAddress.refusal(
                "Metrics cannot be at the address of --listen. Give them another port, or leave this out."
            )
        }
        guard apiToken != nil || host == "localhost" || host == "::1" || host.hasPrefix("127.") else {
            throw table.listen.refusal(
                "Other machines can reach \(host), but no API token is set. "
                    + "Give one with --api-token-file, or listen on 127.0.0.1."
            )
        }
    }

    private func profile(named name: String) throws(SettingsError) -> Profile {
        guard let profile = profiles.first(where: { $0.name == name }) else {
            let known = profiles.map(\.name).joined(separator: ", ")
            throw Self.table.profileName.refusal("There is no profile \"\(name)\". Choose one of: \(known).")
        }
        return profile
    }
}

// MARK: - Derived values

extension Settings {
    package var host: String { self.listen.host }
    package var port: Int { self.listen.port }

    /// The number of jobs that a worker processes at the same time. Most of them wait for their downloads, and decoding
    /// has its own limit.
    package var jobSlots: Int { self.decoders * 32 }

    /// The lifetime of ready files, and the disk space for them.
    package var retention: Retention { Retention(keep: self.keep, quota: self.quota) }

    /// The longest time for which an attachment can be ready ahead of time. A bucket's files are published again well
    /// before `keep` ends.
    package var longestHold: Duration { publishing == nil ? self.keep : self.keep / 2 }

    /// The categories with a content extension, and whether that hides the system's title and text. A category with a
    /// layout has one, as in the preview.
    package var extensionCategories: [String: Bool] {
        let shown = categories.filter { $0.layout != nil || $0.contentExtension != nil }
        return Dictionary(shown.map { ($0.identifier, $0.contentExtension?.isDefaultContentHidden ?? false) }) {
            first,
            _ in first
        }
    }

    /// Returns the settings of downloads by a program that calls itself `userAgent`.
    package func downloads(userAgent: String) -> DownloadSettings {
        var downloads = DownloadSettings()
        downloads.http.userAgent = userAgent
        downloads.http.addresses = AddressPolicy(allowed: self.allowedAddresses)
        downloads.http.authoritiesFile = self.caFile
        downloads.access = access
        downloads.origins.tenants = reuse.sources.map { TenantRule(match: $0.match, segmentCount: $0.tenantSegments) }
        return downloads
    }

    /// The kind of links in the sidecar's payloads, in words for the check of an installation.
    package var links: String {
        if let linkWarning { return linkWarning }
        return publishing == nil ? "payloads get links below \(self.publicURL ?? "")" : "payloads get the bucket's URLs"
    }

    /// The reason why phones show none of the sidecar's files; `nil` if they can fetch them.
    package var linkWarning: String? {
        guard self.publicURL == nil else { return nil }
        let advice = "Give phones a way to the files with --public-url or --publish."
        return self.hasFileURLs
            ? "Payloads get file: URLs, which no phone can fetch. Publish the files before you send them on, or: \(advice)"
            : "Payloads keep the sender's URLs; only results name the ready files. \(advice)"
    }
}

// MARK: - Listing

/// One setting, for `attachd config show`.
package struct SettingRow: Sendable, Equatable {
    package var key: String
    /// The value as it was written, or the default. A password has `(secret)` in its place.
    package var value: String
    /// The option, variable or file that the value comes from; `default` for none.
    package var origin: String
}

extension SettingRow {
    init(_ setting: SettingDeclaration, _ reader: SettingsReader) {
        let written = reader.written(setting)
        let value = written.map { Self.shown($0.value, setting) } ?? setting.defaultText ?? "-"
        self.init(key: setting.key, value: value, origin: written?.origin ?? "default")
    }

    /// Returns a value without its passwords. User and password of a URL stand before its last `@`, and those of
    /// sentinels in its query.
    private static func shown(_ value: String, _ setting: SettingDeclaration) -> String {
        guard case .secret = setting.form else { return value }
        let value = value.replacing(/(sentinelUser|sentinelPassword)=[^&]*/) { "\($0.output.1)=(secret)" }
        guard let end = value.lastIndex(of: "@") else { return value }
        let start = value.range(of: "://")?.upperBound ?? value.startIndex
        return value[..<start] + "(secret)" + value[end...]
    }
}
