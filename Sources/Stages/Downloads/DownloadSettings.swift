/// How downloads are made. Read once, then the same for all of them.
package struct DownloadSettings: Sendable {
    /// What logs and `top -H` call the thread on which the transfers run.
    package var name = "downloads"
    package var addresses = AddressPolicy()
    /// For name, connection and TLS handshake together; the download's own time limit holds as well.
    package var connectTimeout: Duration = .seconds(5)
    package var stall = StallRule()
    package var ranges = RangeRule()
    /// How origins are spared.
    package var origins = OriginRule()
    /// How many redirects are followed for one download.
    package var redirectLimit = 5
    /// For all headers of one answer together.
    package var headerByteLimit = 65_536
    /// The most lines of one answer's head. libcurl looks through all of them for each field that is read.
    package var headerLineLimit = 256
    /// A file of certificate authorities in PEM form that are trusted beside the system's own.
    package var authoritiesFile: String?
    package var userAgent = "attachd"
    /// Answers for a name in place of the system's resolver; `nil` leaves the name to that. Only tests set it.
    package var resolve: (@Sendable (_ host: String) -> [IPAddress]?)?

    package init() {}
}
