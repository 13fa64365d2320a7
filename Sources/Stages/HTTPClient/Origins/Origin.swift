/// The server of a request, as far as a client can tell: scheme, host, port and tenant.
package struct Origin: Hashable, Sendable {
    package var scheme: String
    package var host: String
    package var port: Int
    /// The beginning of the path that distinguishes the tenants of a shared host, or `nil` if the host is not shared.
    package var tenant: String?
    /// The beginning of the path that probably names the customer of a known shared host; `nil` with a `tenant`. Pauses,
    /// breakers and limits are apart, and the share of all requests is not: a sender may write any path.
    package var customer: String?
    /// The key of the rule with whose access the request is made, or `nil` without one. What happens to requests without
    /// access, which anybody may cause, has no consequences for those with it.
    package var access: String?

    /// The name of the origin in a table. It is never shown.
    package var name: String {
        let owner = tenant.map { "tenant \($0)" } ?? customer.map { "customer \($0)" } ?? ""
        return "\(scheme)://\(host):\(port)\n\(owner)\n\(access ?? "")"
    }
}
