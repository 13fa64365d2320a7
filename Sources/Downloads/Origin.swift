/// Where requests go to: what is one server to those who ask.
struct Origin: Hashable, Sendable {
    var scheme: String
    var host: String
    var port: Int
}

extension DownloadURL {
    var origin: Origin { Origin(scheme: scheme, host: host.lowercased(), port: port) }
}
