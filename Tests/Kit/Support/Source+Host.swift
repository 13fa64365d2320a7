package import Media

extension Source {
    /// Creates a source of a host, as a downloader resolves it.
    package init(_ text: String, host: String, accessKey: String? = nil) {
        let site = Site(name: host)
        let url = DownloadURL(text: text, scheme: "https", host: host, port: 443, path: "/", site: site)
        let origin = Origin(of: url, access: accessKey)
        self.init(text, at: .success(SourceTarget(url: url, host: host, origin: origin, rule: nil)))
    }
}
