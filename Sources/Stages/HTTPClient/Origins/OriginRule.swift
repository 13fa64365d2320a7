package import Base
package import Media

/// The limits on requests to one origin, and to all together.
package struct OriginRule: Sendable, Equatable {
    /// The number of requests that one origin gets at once. It begins with `firstLimit`, goes up by one with each
    /// answer, and is halved when the origin is overloaded. From then on it goes up by one with each `answersPerStep`
    /// (slow start, additive increase, multiplicative decrease).
    package var firstLimit = 8
    package var leastLimit = 2
    package var mostLimit = 32
    package var answersPerStep = 10
    /// The number of requests to all origins at once.
    package var globalLimit = min(512, 32 * MachineLimits.ofThisProcess.processorCount)
    /// The divisor of the share of these requests that is reserved for sites that have delivered a source, if there are any.
    /// A sender can invent any number of unknown sites without cost.
    package var knownPart = 8
    /// The rule for an origin that failed, which one request each second tests, and the one for a site whose requests are too
    /// slow for others.
    package var breaker = CircuitBreaker.Rule.tests
    package var siteBreaker = CircuitBreaker.Rule()
    /// The most requests that wait for one site.
    package var lineLimit = 1024
    /// The number of retries for each request.
    package var retryShare = 0.1
    /// The longest pause that is granted to an origin that asks for one. A gateway has one CDN, and no phone shares its pause.
    package var longestPause: Duration = .seconds(5)
    /// The time between two requests that test whether an origin still wants the pause that it asked for.
    package var testPause: Duration = .seconds(1)
    /// The least time that makes a timeout the origin's fault. It is not blamed if the request had less time than this,
    /// or if bytes had come within this time.
    package var fairTime: Duration = .seconds(1)
    /// The time for a request's first bytes, after which it counts as slow; twice that where the origin is known to
    /// take so long.
    package var grace: Duration = .seconds(2)
    /// When the process ends: the time for which waiting requests may still begin.
    package var lastStart: Duration = .milliseconds(500)
    /// The time without requests to other sites after which one site may use all permits. Otherwise a quarter is kept
    /// for others.
    package var lonelyTime: Duration = .seconds(10)
    /// The longest time that a request may wait for its origin before it is refused; `nil` lets it wait until its
    /// deadline.
    package var longestQueue: Duration?
    /// The rules for shared hosts, which distinguish their tenants.
    package var tenants: [TenantRule] = []
    /// The most origins that are remembered.
    package var tableLimit = 10_000

    package init() {}

    /// The number of requests to unknown sites at once.
    var unknownLimit: Int { globalLimit - globalLimit / knownPart }

    /// The rule for answers that are posted to callbacks: small, and tried again later. An origin that has not answered
    /// yet gets few at once.
    static let callbacks: OriginRule = {
        var rule = OriginRule()
        (rule.firstLimit, rule.leastLimit, rule.mostLimit, rule.globalLimit) = (4, 1, 32, 128)
        (rule.longestQueue, rule.grace) = (.seconds(1), .seconds(1))
        (rule.longestPause, rule.testPause, rule.breaker) = (.seconds(60), .seconds(60), CircuitBreaker.Rule())
        return rule
    }()
}

// MARK: - Tenants

/// A rule that tells which part of a shared host's paths names the tenant. One tenant's failures do not count against
/// others.
package struct TenantRule: Sendable, Equatable {
    /// The pattern for the URL up to its query; `*` stands for any characters.
    package var match: String
    /// The number of the path's first segments that name the tenant; 0 if the rule doesn't say, so that only a known
    /// shared host has tenants.
    package var segmentCount: Int

    package init(match: String, segmentCount: Int) {
        self.match = match
        self.segmentCount = segmentCount
    }
}

extension OriginRule {
    /// Returns the origin of a request for `url` with the access of that key. The first tenant rule that matches the URL
    /// counts; without one, a known shared host has customers.
    package func origin(of url: DownloadURL, access: String? = nil) -> Origin {
        // A tenant has one name, however its URLs are written.
        let segments = PathText(PathText(url.path).decoded.text.lowercased()).segments
        if let rule = tenants.first(where: { url.matches($0.match) }), rule.segmentCount > 0 {
            return Origin(of: url, tenant: segments.prefix(rule.segmentCount).joined(separator: "/"), access: access)
        }
        return Origin(of: url, customer: SharedHost.customer(of: url.host.lowercased(), segments), access: access)
    }
}
