import Downloads
import Files
import Foundation
import Glibc
import Logging
import Machine
import Media
import Payloads
import Processing
import Storage
import Telemetry
import Values

extension Settings {
    /// Reads and checks all settings. Throws for every malformed value instead of using a default.
    package init(reading source: SettingsSource) throws(SettingsError) {
        let file = try source.file.map { path throws(SettingsError) in try ConfigurationFile(path: path) }
        let values = SettingsValues(source, file?.root)
        let store = AbsolutePath.of(try values.text(.store) ?? Self.defaultStore(source.environment.revealed))
        self.store = store
        caFile = try values.existingFile(.caFile)
        queue = try QueueAddress(
            try values.text(.queue) ?? "sqlite:\(store)/queue.sqlite",
            authoritiesFile: caFile,
        )
        decoders = try values.number(.decoders, in: 1...256) ?? MachineLimits.ofThisProcess.processorCount
        logFormat = try values.choice(.logFormat) ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
        hasGroupReadableKeys = try values.flag(.groupReadableKeys) ?? hasGroupReadableKeys
        var namedVariables: Set<String> = []
        if let file {
            let context = try values.sourceContext(
                file.folder,
                source.environment,
                isGroupReadable: hasGroupReadableKeys
            )
            let sections = try ConfigurationSections(file, context)
            // The user's dialects come first: the user knows the payloads better.
            dialects = sections.dialects + dialects
            for profile in sections.profiles {
                let place = profiles.firstIndex { $0.name == profile.name } ?? profiles.endIndex
                profiles.replaceSubrange(place..<min(place + 1, profiles.endIndex), with: [profile])
            }
            profile = try self.profile(named: profile.name)
            reuse.sources = sections.sources.rules
            (access, sourceSecrets) = (sections.sources.access, sections.sources.secrets)
            namedVariables = sections.sources.variables
            categories = sections.categories
            tenants = sections.tenants
        }
        unknownVariables = UnknownVariable.all(in: source.environment.revealed, named: namedVariables)
        if let name = try values.text(.profile) { profile = try profile(named: name) }
        if let given = try values.duration(.deadline, upTo: NotificationService.longestTimeLimit) {
            (deadline, fileDeadline) = (given, given)
        }
        allowedAddresses = try values.addresses(.allowAddresses)
        requiresSandbox = try values.flag(.requireSandbox) ?? requiresSandbox
        disabledFormats = try values.formats(.disabledFormats)
        configurationFile = source.file.map { AbsolutePath.of($0) }
        rereadDisabledFormats = {
            let file = try source.file.map { path throws(SettingsError) in try ConfigurationFile(path: path) }
            return try SettingsValues(source, file?.root).formats(.disabledFormats)
        }
        requests = try values.number(.requests, in: 1...65_536) ?? requests
        publicURL = try values.publicURL(.publicURL)
        hasFileURLs = try values.flag(.fileURLs) ?? hasFileURLs
        guard !hasFileURLs || publicURL == nil else {
            let reason = "Payloads get the URLs below --public-url. Leave out this option, or that one."
            throw SettingsError(key: SettingsKey.fileURLs.rawValue, reason: reason)
        }
        publishing = try values.publishing(
            source.environment.revealed,
            authoritiesFile: caFile,
            hasGroupReadableKeys: hasGroupReadableKeys,
        )
        guard publishing == nil || publicURL != nil else {
            let reason =
                "Files are published to a bucket, but phones have no URL to fetch them from. "
                + "Give the bucket's or the CDN's URL with --public-url."
            throw SettingsError(key: SettingsKey.publish.rawValue, reason: reason)
        }
        signingKeyFile = try values.secretFile(.signingKeyFile, isGroupReadable: hasGroupReadableKeys)
        signingKeys = try signingKeyFile.map { file throws(SettingsError) in
            try SettingsValues.reading(.signingKeyFile) { () throws(FileError) in try SigningKeys(reading: file) }
        }
        retention.keep = try values.duration(.keep, upTo: .seconds(365 * 24 * 3600)) ?? retention.keep
        retention.quota = try values.size(.quota) ?? retention.quota
        reuse.floor = try values.duration(.reuse, from: .zero, upTo: Self.longestReuse) ?? reuse.floor
        hasPreview = try values.flag(.preview) ?? hasPreview
        responseWebhook = try values.publicURL(.responseWebhook, example: "http://127.0.0.1:8098/responses")
        backlog = try values.number(.backlog, in: 1...10_000_000) ?? backlog
        tenantShare = try values.number(.tenantShare, in: 1...100) ?? tenantShare
        workerStart = try values.duration(.workerStart, upTo: .seconds(3600)) ?? workerStart
        hasWorker = try values.flag(.worker) ?? hasWorker
        if !hasWorker, case .sqlite = queue {
            let reason = "Nobody else can work on the queue's file. Give a queue on Redis, or leave --no-worker out."
            throw SettingsError(key: SettingsKey.worker.rawValue, reason: reason)
        }
        isStrict = try values.flag(.strict) ?? isStrict
        logLevel = try values.choice(.logLevel) ?? logLevel
        logSample = try values.number(.logSample, in: 1...1_000_000) ?? logSample
        if let address = try values.address(.listen) { (host, port) = (address.host, address.port) }
        metricsAddress = try values.address(.metricsListen)
        guard metricsAddress != HostAndPort(host: host, port: port) || port == 0 else {
            let reason = "Metrics cannot be at the address of --listen. Give them another port, or leave this out."
            throw SettingsError(key: SettingsKey.metricsListen.rawValue, reason: reason)
        }
        apiTokenFile = try values.secretFile(.apiTokenFile, isGroupReadable: hasGroupReadableKeys)
        apiToken = try apiTokenFile.map { file throws(SettingsError) in try APIToken.read(file) }
        guard apiToken != nil || Self.isLoopback(host) else {
            let reason =
                "Other machines can reach \(host), but no API token is set. "
                + "Give one with --api-token FILE, or listen on 127.0.0.1."
            throw SettingsError(key: SettingsKey.listen.rawValue, reason: reason)
        }
    }

    private static let longestReuse: Duration = .seconds(24 * 3600)

    private func profile(named name: String) throws(SettingsError) -> Profile {
        guard let profile = profiles.first(where: { $0.name == name }) else {
            let known = profiles.map(\.name).joined(separator: ", ")
            let reason = "There is no profile \"\(name)\". Choose one of: \(known)."
            throw SettingsError(key: SettingsKey.profile.rawValue, reason: reason)
        }
        return profile
    }

    /// Returns the default store: below the user's state folder (XDG Base Directory Specification), or the system's.
    private static func defaultStore(_ environment: [String: String]) -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/attachd" }
        if let home = environment["HOME"], home.hasPrefix("/"), home != "/" { return "\(home)/.local/state/attachd" }
        return "/var/lib/attachd"
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
