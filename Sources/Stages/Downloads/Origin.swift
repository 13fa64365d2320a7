/// Where requests go to: what is one server to those who ask.
struct Origin: Hashable, Sendable {
    var scheme: String
    var host: String
    var port: Int
    /// The beginning of the path that tells tenants of a shared host apart; `nil` if the host isn't shared.
    var tenant: String?
}
