package import Base
package import HTTPClient
package import Media

/// A rule of the operator about sources: which ones it is for, and the access that requests for them get.
package struct AccessRule: OperatorRule {
    /// The sources that a rule is for.
    package enum Match: Sendable, Equatable {
        /// A pattern of the URL up to its query, in which `*` matches any characters. It never gives access.
        case pattern(String)
        case place(SourcePlace)
        /// The objects of a bucket whose names begin with the prefix of its address.
        case objects(BucketAddress)
    }

    package let name: String
    package let match: Match
    /// The access to the sources, or `nil` if they are fetched like all others.
    package let access: SourceAccess?
    /// The time for which a source that its origin does not have yet is asked for again; `nil` if it is not.
    package let awaitMissing: Duration?

    package init(name: String, match: Match, access: SourceAccess? = nil, awaitMissing: Duration? = nil) {
        self.name = name
        self.match = match
        self.access = access
        self.awaitMissing = awaitMissing
    }

    /// The identity of the access, or `nil` without one. What was fetched with it is used only under the same key.
    ///
    /// The key is the same in every process with the same rule, and contains no secret. It does not change with the
    /// value of a header, so that a new token does not end the reuse of what the old one fetched.
    package var key: String? {
        guard let access else { return nil }
        let place =
            switch match {
            case .pattern(let pattern): pattern
            case .place(let place): place.description
            case .objects(let bucket): "\(bucket) in \(bucket.region)"
            }
        let parts = [
            [name, place], access.addresses.map(\.description).sorted(),
            access.headers.map { $0.name.lowercased() }.sorted(),
            access.certificate == nil ? [] : ["certificate"],
        ]
        return parts.map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// Returns whether this rule, which stands before `other`, leaves it no source at all.
    package func hides(_ other: AccessRule) -> Bool {
        switch (match, other.match) {
        case (.pattern(let pattern), .place(let place)):
            pattern.hasSuffix("*") && Wildcard.matches(place.description[...].utf8, pattern.utf8)
        case (.place(let wide), .place(let narrow)): wide.covers(narrow)
        case (.objects(let wide), .objects(let narrow)):
            wide.name == narrow.name && narrow.prefix.hasPrefix(wide.prefix)
        default: false
        }
    }

    /// Returns whether the rule is for `url`, which is not that of an object.
    func isFor(_ url: DownloadURL) -> Bool {
        switch match {
        case .pattern(let pattern): url.matches(pattern)
        case .place(let place): place.contains(url)
        case .objects: false
        }
    }
}

extension AccessRule {
    /// The rule's access as far as it concerns connections; `nil` without one.
    var connectionAccess: ConnectionAccess? {
        guard let access else { return nil }
        let policy: AddressPolicy? =
            if !access.addresses.isEmpty { .only(access.addresses) } else if access.isEndpointNamed { .everywhere } else
            {
                nil
            }
        return ConnectionAccess(
            name: name,
            policy: policy,
            addresses: access.addresses,
            certificate: access.certificate?.current,
        )
    }
}

/// The access that a rule gives to its sources.
package struct SourceAccess: Sendable {
    /// The header fields of each request.
    package var headers: [SecretHeader]
    /// The only addresses that are dialled; with none, those of the host's name that may be fetched from.
    package var addresses: [IPAddress]
    /// The credentials for the bucket, if the sources are objects.
    package var credentials: CredentialsSource?
    /// A Boolean value that indicates whether the operator named the bucket's endpoint, which may have any address.
    package var isEndpointNamed: Bool
    /// The certificate that proves to the origin who asks.
    package var certificate: Replaceable<ClientCertificate>?

    package init(
        headers: [SecretHeader] = [],
        addresses: [IPAddress] = [],
        credentials: CredentialsSource? = nil,
        isEndpointNamed: Bool = false,
        certificate: Replaceable<ClientCertificate>? = nil,
    ) {
        self.headers = headers
        self.addresses = addresses
        self.credentials = credentials
        self.isEndpointNamed = isEndpointNamed
        self.certificate = certificate
    }
}

// MARK: - Targets

/// The operator's rules, in order. The first that is for a source counts.
extension [AccessRule] {
    /// Returns the source that `text` names: its URL, its origin, and its rule. `origins` tells the tenants of shared hosts.
    package func resolve(_ text: String, origins: OriginRule = OriginRule()) -> Source {
        Source(text, at: Result { () throws(DownloadURL.ParseError) in try target(of: text, origins) })
    }

    /// Returns the target that `text` names. Throws if nothing may be asked: above all for an object of a bucket without a
    /// rule, so that no payload makes attachd use its credentials.
    private func target(of text: String, _ origins: OriginRule) throws(DownloadURL.ParseError) -> SourceTarget {
        guard ObjectReference.isOne(text) else {
            let url = try DownloadURL(text)
            return SourceTarget(url, host: url.host, rule: first { $0.isFor(url) }, origins)
        }
        guard text.utf8.count <= DownloadURL.byteLimit else {
            throw .invalid("it is longer than \(DownloadURL.byteLimit) bytes")
        }
        let object = try ObjectReference(text)
        for rule in self {
            guard case .objects(let address) = rule.match, let url = object.url(in: address) else { continue }
            // The name of the endpoint is the operator's. The sender knows the bucket's.
            return SourceTarget(try DownloadURL(url), host: "s3://\(object.bucket)", rule: rule, origins)
        }
        throw DownloadURL.ParseError(reason: .refusedScheme, text: "no rule for sources allows its bucket")
    }
}

extension SourceTarget {
    /// Creates the target at `url` with its origin, under the rule that is for it.
    fileprivate init(_ url: DownloadURL, host: String, rule: AccessRule?, _ origins: OriginRule) {
        self.init(url: url, host: host, origin: origins.origin(of: url, access: rule?.key), rule: rule)
    }
}

// MARK: - Places

/// A place of sources: the scheme, the host, the port, and the folder in which their paths lie.
package struct SourcePlace: Sendable, Equatable, CustomStringConvertible {
    /// The reason why a text is not a place, in words for a person.
    package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let scheme: String
    private let host: String
    private let port: Int
    /// The names of the folders that all paths begin with.
    private let folders: [String]
    /// The pattern of the URLs: the place, and `*`.
    package let description: String

    /// Reads a URL that ends with a slash, such as `https://media.example/private/`, or with a slash and `*`.
    package init(_ text: String) throws(ParseError) {
        let place = text.hasSuffix("/*") ? String(text.dropLast()) : text
        let example = "Write it as https://media.example/private/, with a slash at the end."
        let isPlain = place.utf8.allSatisfy { !"*?#\\;".utf8.contains($0) }
        guard place.hasSuffix("/"), isPlain, let url = try? DownloadURL(place)
        else { throw ParseError(description: "This is not a place whose sources need a key. \(example)") }
        // A place that servers read in several ways would be another one for some of them.
        let folders = PathText(url.path).folders(below: []) ?? []
        guard !url.path.utf8.contains(UInt8(ascii: "%")), url.path == PathText.path(of: folders) else {
            throw ParseError(description: "The path has characters in a code or empty names. \(example)")
        }
        (scheme, host, port) = (url.scheme, url.host.lowercased(), url.port)
        self.folders = folders
        description = url.text + "*"
    }

    /// Returns whether every source of the place `other` is in this one.
    func covers(_ other: SourcePlace) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port && other.folders.starts(with: folders)
    }

    /// Returns whether `url` is in this place, however its server reads the path: `%2e%2e` never leads out of it.
    func contains(_ url: DownloadURL) -> Bool {
        guard url.scheme == scheme, url.port == port, isHost(url.host) else { return false }
        guard !folders.isEmpty else { return true }
        return PathText(url.path).isAlwaysBelow(folders)
    }

    private func isHost(_ other: String) -> Bool {
        if other.lowercased() == host { return true }
        guard let address = IPAddress(host) else { return false }
        return IPAddress(other) == address
    }
}
