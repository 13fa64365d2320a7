import Media

@testable import HTTPClient

extension Origin {
    /// Creates the origin of a host that has no tenants.
    init(scheme: String, host: String, port: Int) {
        let text = "\(scheme)://\(host):\(port)/"
        let site = Site(host: host)
        self.init(of: DownloadURL(text: text, scheme: scheme, host: host, port: port, path: "/", site: site))
    }
}
