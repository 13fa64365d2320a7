import Base
import Downloads
import Files
import HTTPClient
import Processing

/// The section `sources` of the configuration file: the rules about which URLs lead to the same source, and about the
/// access to sources that need a key.
struct SourcesSection {
    private(set) var rules: [SourceRule] = []
    private(set) var access: [AccessRule] = []
    private(set) var secrets: [SourceSecret] = []
    /// The names of the environment variables that the rules name.
    private(set) var variables: Set<String> = []

    init() {}

    /// Reads and checks the section of `file`, and the files and variables that it names.
    init(_ file: ConfigurationFile, _ context: SourceContext) throws(SettingsError) {
        for (name, table) in try file.root.tables("sources", keys: SourceRule.keys) {
            var reader = SourceAccessReader(name: name, table: table, context: context)
            let rule = try reader.rule()
            if case .objects = rule.match {} else { rules.append(try SourceRule(in: table)) }
            if let hiding = access.first(where: { $0.hides(rule) }) {
                let reason =
                    "The rule \(hiding.name) stands before it and is for the same sources. Put the narrower rule first."
                throw SettingsError(key: table.path(of: "match"), reason: reason)
            }
            access.append(rule)
            secrets += reader.secrets
            variables.formUnion(reader.variables)
        }
    }
}

// MARK: - Rules

/// The source rule's form in the configuration file.
extension SourceRule {
    static let keys = [
        "match", "ignoreQuery", "tenantSegment", "headers", "addresses", "endpoint", "region", "style", "certificate",
        "key", "awaitMissing",
    ]
    /// The keys that give access. A rule with one of them is for one place, and not for a pattern.
    static let accessKeys = ["headers", "addresses", "endpoint", "region", "style", "certificate", "key"]

    /// Reads the parts of a rule that do not give access. A rule that does needs none of them.
    init(in table: ConfigurationTable) throws(SettingsError) {
        let givesAccess = Self.accessKeys.contains(where: table.has)
        guard let match = try table.text("match"), match.hasPrefix("https://") || match.hasPrefix("http://"),
            !match.contains("?"), !match.contains("#")
        else { throw table.refusal(of: "match", "a URL without query, such as \"https://cdn.example/*\"") }
        let ignored = try table.texts("ignoreQuery")
        let tenantSegments = try table.number("tenantSegment", in: 1...8)
        guard !ignored.isEmpty || tenantSegments != nil || givesAccess || table.has("awaitMissing") else {
            let wanted =
                "a list of query parameters to ignore, such as [Signature]; it may be left out only with tenantSegment, "
                + "awaitMissing, headers, addresses or a certificate"
            throw table.refusal(of: "ignoreQuery", wanted)
        }
        // A place is for everything below it.
        let pattern = givesAccess && match.hasSuffix("/") ? match + "*" : match
        self.init(match: pattern, ignoredQuery: ignored, tenantSegments: tenantSegments ?? 0)
    }
}

// MARK: - Access

/// A reader of the access that one rule of `sources` gives.
struct SourceAccessReader {
    private let name: String
    private let table: ConfigurationTable
    private let context: SourceContext
    /// The files with secrets that the rule names.
    private(set) var secrets: [SourceSecret] = []
    /// The names of the environment variables with secrets that the rule names.
    private(set) var variables: Set<String> = []

    private static let headerForm = "a text, {file: PATH} or {env: NAME}"

    init(name: String, table: ConfigurationTable, context: SourceContext) {
        self.name = name
        self.table = table
        self.context = context
    }

    /// Reads the rule.
    mutating func rule() throws(SettingsError) -> AccessRule {
        guard let match = try table.text("match") else { throw table.refusal(of: "match", Self.matchForm) }
        if match.hasPrefix("s3://") { return try objectRule(match) }
        if let key = ["endpoint", "region", "style"].first(where: table.has) {
            throw SettingsError(
                key: table.path(of: key),
                reason: "Only a rule that matches a bucket has it. Write match as s3://BUCKET/PREFIX/, or remove it.",
            )
        }
        guard SourceRule.accessKeys.contains(where: table.has) else {
            return AccessRule(name: name, match: .pattern(match), awaitMissing: try awaitMissing())
        }
        let place = try SettingsError.checking(table.path(of: "match")) { () throws(SourcePlace.ParseError) in
            try SourcePlace(match)
        }
        let access = try access(isSigned: false)
        return AccessRule(name: name, match: .place(place), access: access, awaitMissing: try awaitMissing())
    }

    private static let matchForm = "a URL, such as https://media.example/private/ or s3://media/"

    private mutating func objectRule(_ match: String) throws(SettingsError) -> AccessRule {
        if let key = ["ignoreQuery", "tenantSegment"].first(where: table.has) {
            throw SettingsError(key: table.path(of: key), reason: "Objects of a bucket have none. Remove it.")
        }
        let style = try table.text("style").map { text throws(SettingsError) in
            guard let style = BucketAddress.Style(rawValue: text) else {
                throw table.refusal(of: "style", "path or host")
            }
            return style
        }
        let endpoint = try table.text("endpoint")
        let region = try table.text("region") ?? context.region
        let bucket = match.hasSuffix("/*") ? String(match.dropLast()) : match
        let address = try SettingsError.checking(table.path(of: "match")) { () throws(BucketAddress.ParseError) in
            try BucketAddress(bucket, endpoint: endpoint, region: region, style: style)
        }
        var access = try access(isSigned: true)
        access.credentials = try context.credentials()
        access.isEndpointNamed = endpoint != nil
        return AccessRule(name: name, match: .objects(address), access: access, awaitMissing: try awaitMissing())
    }

    private func awaitMissing() throws(SettingsError) -> Duration? {
        guard let text = try table.text("awaitMissing") else { return nil }
        guard let time = DurationText.parse(text), time >= .seconds(1), time <= .seconds(300) else {
            throw table.refusal(of: "awaitMissing", "a time from 1s to 300s, such as 10s")
        }
        return time
    }

    private mutating func access(isSigned: Bool) throws(SettingsError) -> SourceAccess {
        SourceAccess(
            headers: try headers(isSigned: isSigned),
            addresses: try addresses(),
            certificate: try certificate(),
        )
    }

    private func addresses() throws(SettingsError) -> [IPAddress] {
        try table.texts("addresses").map { text throws(SettingsError) in
            guard let address = IPAddress(text) else {
                throw SettingsError(
                    key: table.path(of: "addresses"),
                    reason: "\"\(text)\" is not an address. Write each address in full, such as 10.1.2.3 or fd00::7.",
                )
            }
            return address
        }
    }

    // MARK: Secrets

    private mutating func headers(isSigned: Bool) throws(SettingsError) -> [SecretHeader] {
        guard table.has("headers") else { return [] }
        guard let fields = try table.table("headers", keys: nil), !fields.names.isEmpty else {
            throw table.refusal(of: "headers", "a table of names and values")
        }
        var headers: [SecretHeader] = []
        for name in fields.names {
            let key = fields.path(of: name)
            let (text, file) = try value(of: name, in: fields)
            let header = try SettingsError.checking(key) { () throws(SecretHeader.FieldError) in
                try SecretHeader(name, value: text, isSigned: isSigned)
            }
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw SettingsError(key: key, reason: "The same header stands there twice. Remove one.")
            }
            headers.append(header)
            guard let file else { continue }
            let purpose = "the header \(name) of the rule \(self.name)"
            secrets.append(
                SourceSecret(name: purpose, file: file) { [value = header.value] in
                    value.replace(with: try SecretHeader.value(from: Secret(try file.read())))
                }
            )
        }
        return headers
    }

    /// Returns the text of a header, and the file that it comes from if it is one.
    private mutating func value(of name: String, in fields: ConfigurationTable) throws(SettingsError)
        -> (text: Secret<String>, file: SecretFile?)
    {
        guard fields.isTable(name) else {
            guard let text = try fields.text(name) else { throw fields.refusal(of: name, Self.headerForm) }
            return (Secret(text), nil)
        }
        let source = try fields.table(name, keys: ["file", "env"])
        switch (try source?.text("file"), try source?.text("env")) {
        case (let path?, nil):
            let file = SecretFile(context.path(path), isGroupReadable: context.isGroupReadable)
            return (Secret(try Self.read(file, fields.path(of: name))), file)
        case (nil, let variable?):
            variables.insert(variable)
            guard let text = context.environment.revealed[variable], !text.isEmpty else {
                // The name is not repeated: it may be the secret itself.
                let reason = "The environment variable of this name is not set. Set it, or write {file: PATH}."
                throw SettingsError(key: fields.path(of: name), reason: reason)
            }
            return (Secret(text), nil)
        default: throw fields.refusal(of: name, Self.headerForm)
        }
    }

    private mutating func certificate() throws(SettingsError) -> Replaceable<ClientCertificate>? {
        let names = (try table.text("certificate"), try table.text("key"))
        guard names.0 != nil || names.1 != nil else { return nil }
        guard let certificate = names.0, let key = names.1 else {
            let missing = names.0 == nil ? "certificate" : "key"
            let reason = "A client certificate needs its key. Name both PEM files, as certificate and key."
            throw SettingsError(key: table.path(of: missing), reason: reason)
        }
        let files = CertificateFiles(
            certificate: context.path(certificate),
            key: SecretFile(context.path(key), isGroupReadable: context.isGroupReadable),
        )
        let path = table.path(of: "certificate")
        let read = try SettingsError.checking(path) { () throws(CertificateFiles.ReadError) in
            Replaceable(try files.read())
        }
        for file in [files.key, SecretFile(files.certificate)] {
            secrets.append(
                SourceSecret(name: "the client certificate of the rule \(name)", file: file) {
                    read.replace(with: try files.read())
                }
            )
        }
        return read
    }

    private static func read(_ file: SecretFile, _ key: String) throws(SettingsError) -> String {
        do throws(FileError) {
            return try file.read()
        } catch {
            throw SettingsError(key: key, reason: error.reasonOfSetting)
        }
    }
}
