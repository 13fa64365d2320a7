import Timing

/// The bounds of name resolution.
package struct ResolverRule: Sendable {
    /// The number of queries in flight at once. A query asks for the IPv4 and the IPv6 addresses of one name.
    package var queryLimit = 64
    /// The number of names that wait for a turn.
    package var waiterLimit = 4096
    /// The number of queries that a site may have in flight after its last one timed out.
    package var slowSiteLimit = 2
    /// The number of sites of which is known that their last query timed out.
    package var slowSiteCount = 4096
    /// The time for which a query keeps its turn, whatever its servers do.
    package var longestQuery: Duration = .seconds(5)
    /// The time for the first answer of a server, unless `resolv.conf` says otherwise.
    package var answerTime: Duration = .milliseconds(1500)
    /// The number of times that each server is asked, unless `resolv.conf` says otherwise.
    package var tries = 2
    /// The number of sockets that one query may open, one after the other: one for each server and protocol, for each
    /// search domain, and one for each address to order them. Further addresses come last.
    package var socketLimit: Int32 = 128
    /// The bytes that one query may receive. That is enough for 800 addresses.
    package var byteLimit = 16_384
    /// The number of addresses in one answer. The others are dropped.
    package var addressLimit = 32
    /// The number of answers that are kept.
    package var cacheLimit = 4096
    /// The shortest and the longest time for which addresses are kept, whatever time to live their records have. The
    /// shortest one is so that the names of a burst are asked for once.
    package var addressLife: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
    /// The time for which is kept that a name was not found, or that its server failed.
    package var failureLife: Duration = .seconds(2)
    /// The time for which is kept that a query timed out.
    package var timeoutLife: Duration = .seconds(5)
    /// The file with the servers, search domains and options, in the format of resolv.conf(5).
    package var configurationFile = "/etc/resolv.conf"

    package init() {}

    /// The number of queries that one site may have in flight.
    package var siteLimit: Int { max(1, queryLimit / 4) }
}

/// The state of name resolution at one instant.
package struct ResolverUsage: Sendable, Equatable {
    /// The number of queries in flight.
    package var inFlight = 0
    /// The number of names that wait for a turn.
    package var waiting = 0
    /// The number of threads: one after the first query.
    package var threads = 0
    /// The number of answers that are kept.
    package var cached = 0
}
