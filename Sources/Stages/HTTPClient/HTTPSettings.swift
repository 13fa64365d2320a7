package import Names

/// The settings of all requests of one client. They are read once.
package struct HTTPSettings: Sendable {
    /// The name of the threads on which the transfers run, for logs and `top -H`.
    package var name = "downloads"
    package var addresses = AddressPolicy()
    /// The time limit for connection and TLS handshake together, and another one for the name. The request's own time
    /// limit holds as well.
    package var connectTimeout: Duration = .seconds(5)
    package var stall = StallRule()
    /// The time within which bytes must have come for a request to count as making progress.
    package var fairTime: Duration = .seconds(1)
    /// The most bytes of all headers of one answer together.
    package var headerByteLimit = 65_536
    /// The most lines of one answer's head. libcurl searches all of them for each field that is read.
    package var headerLineLimit = 256
    /// The path of a file in PEM form with certificate authorities to trust beside the system's own.
    package var authoritiesFile: String?
    package var userAgent = "attachd"
    package var resolver = Resolver.ofThisProcess
    /// A function that replaces the resolver for some hosts, for tests; `nil` from it leaves the name to the resolver.
    package var resolve: (@Sendable (_ host: String) -> [IPAddress]?)?

    package init() {}
}
