/// The server of a request, as far as a client can tell: scheme, host, port and tenant.
struct Origin: Hashable, Sendable {
    var scheme: String
    var host: String
    var port: Int
    /// The beginning of the path that distinguishes the tenants of a shared host, or `nil` if the host is not shared.
    var tenant: String?
}
