package import HTTPClient
package import Names
package import Values

/// A rule of the operator about sources: which ones it is for, and the access that requests for them get.
package struct AccessRule: Sendable {
    /// The sources that a rule is for.
    package enum Match: Sendable, Equatable {
        /// A pattern of the URL up to its query, in which `*` matches any characters. It never gives access.
        case pattern(String)
        case place(SourcePlace)
        /// The objects of a bucket whose names begin with the prefix of its address.
        case objects(BucketAddress)
    }

    /// The rule's name in the configuration file.
    package let name: String
    package let match: Match
    /// The access to the sources, or `nil` if they are fetched like all others.
    package let access: SourceAccess?

    package init(name: String, match: Match, access: SourceAccess? = nil) {
        self.name = name
        self.match = match
        self.access = access
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
        case .pattern(let pattern): Wildcard.matches(url.text.prefix { $0 != "?" && $0 != "#" }.utf8, pattern.utf8)
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
