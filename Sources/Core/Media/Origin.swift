/// The server of a request, as far as a client can tell: scheme, host, port and tenant.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: Int
    /// The beginning of the path that distinguishes the tenants of a shared host, or `nil` if the host is not shared.
    package let tenant: String?
    /// The beginning of the path that probably names the customer of a known shared host; `nil` with a `tenant`. Pauses,
    /// breakers and limits are apart, and the share of all requests is not: a sender may write any path.
    package let customer: String?
    /// The key of the rule with whose access the request is made, or `nil` without one. What happens to requests without
    /// access, which anybody may cause, has no consequences for those with it.
    package let access: String?
    /// The owner of the origin: that of its host, or the tenant.
    package let site: Site

    /// Creates the origin of a URL.
    package init(of url: DownloadURL, tenant: String? = nil, customer: String? = nil, access: String? = nil) {
        scheme = url.scheme
        host = url.host.lowercased()
        port = url.port
        self.tenant = tenant
        self.customer = customer
        self.access = access
        site = tenant.map { Site(name: "\(url.site.name)/\($0)") } ?? url.site
    }

    /// The name of the origin in a table. It is never shown.
    package var name: String {
        let owner = tenant.map { "tenant \($0)" } ?? customer.map { "customer \($0)" } ?? ""
        return "\(scheme)://\(host):\(port)\n\(owner)\n\(access ?? "")"
    }
}

/// The owner of an origin, as far as its name or address tells: the unit of fairness between origins.
///
/// A name counts by its registrable domain (the Public Suffix List), because its owner can make any number of names
/// below that. An address counts by the smallest block that the Internet routes: 256 IPv4 addresses, or a /48 of IPv6.
package struct Site: Hashable, Sendable {
    package let name: String

    package init(name: String) { self.name = name }
}
