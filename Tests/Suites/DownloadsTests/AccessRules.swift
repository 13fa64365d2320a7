import Base

@testable import Downloads
@testable import HTTPClient

extension AccessRule {
    /// Creates a rule for a place, with header fields.
    init(
        _ place: String,
        name: String = "rule",
        headers: [String: String] = [:],
        addresses: [String] = [],
        certificate: ClientCertificate? = nil,
    ) throws {
        let access = SourceAccess(
            headers: try headers.map { try SecretHeader($0.key, value: Secret($0.value)) },
            addresses: addresses.compactMap { IPAddress($0) },
            certificate: certificate.map { Replaceable($0) },
        )
        self.init(name: name, match: .place(try SourcePlace(place)), access: access)
    }

    /// Creates a rule for the objects of a bucket.
    init(bucket: BucketAddress, name: String = "objects", isEndpointNamed: Bool = true, secret: String = "hidden") {
        let credentials = BucketCredentials(accessKeyID: "AKIA1", secretAccessKey: Secret(secret))
        self.init(
            name: name,
            match: .objects(bucket),
            access: SourceAccess(credentials: .fixed(credentials), isEndpointNamed: isEndpointNamed),
        )
    }
}

extension DownloadSettings {
    /// Returns settings with these rules, that allow the addresses in `blocks`.
    static func with(_ rules: AccessRule..., opening blocks: String...) throws -> DownloadSettings {
        var settings = DownloadSettings.patient
        settings.http.addresses.allowed = try blocks.map { try CIDR($0) }
        settings.access = rules
        return settings
    }
}
