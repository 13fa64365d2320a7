import Values

/// The settings of all downloads. They are read once.
package struct DownloadSettings: Sendable {
    /// The name of the thread on which the transfers run, for logs and `top -H`.
    package var name = "downloads"
    /// A Boolean value that indicates whether all work needs the transfers. If their thread stalls then, the worker is
    /// not ready.
    package var isEssential = true
    package var addresses = AddressPolicy()
    /// The time limit for name, connection and TLS handshake together. The download's own time limit holds as well.
    package var connectTimeout: Duration = .seconds(5)
    package var stall = StallRule()
    package var ranges = RangeRule()
    /// The limits that protect origins.
    package var origins = OriginRule()
    /// The most redirects of one download.
    package var redirectLimit = 5
    /// The most bytes of all headers of one answer together.
    package var headerByteLimit = 65_536
    /// The most lines of one answer's head. libcurl searches all of them for each field that is read.
    package var headerLineLimit = 256
    /// The path of a file in PEM form with certificate authorities to trust beside the system's own.
    package var authoritiesFile: String?
    package var userAgent = "attachd"
    /// The rules about sources that need access, and about those that come before them.
    package var access = AccessTable()
    /// The certificate that proves to all servers who asks; `nil` for none.
    var certificate: Replaceable<ClientCertificate>?
    /// A resolver that replaces the system's; `nil` leaves the name to the system. A rule's addresses set it, and tests.
    package var resolve: (@Sendable (_ host: String) -> [IPAddress]?)?

    package init() {}
}
