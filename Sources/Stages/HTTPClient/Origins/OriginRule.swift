import Machine
package import Timing

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
    /// One in so many of these requests is kept for sites from which a source has come, while there are any: any number of
    /// unknown sites costs a sender nothing.
    package var knownPart = 8
    package var breaker = CircuitBreaker.Rule()
    /// The number of retries for each request.
    package var retryShare = 0.1
    /// The longest pause that is granted to an origin that asks for one.
    package var longestPause: Duration = .seconds(60)
    /// The least time that makes a timeout the origin's fault. It is not blamed if the request had less time than this,
    /// or if bytes had come within this time.
    package var fairTime: Duration = .seconds(1)
    /// The time for a request's first bytes, after which it counts as slow; twice that where the origin is known to
    /// take so long.
    package var grace: Duration = .seconds(2)
    /// When the process ends: the time for which waiting requests may still begin, and that in which they must be done.
    package var lastStart: Duration = .seconds(1)
    package var drainTime: Duration = .seconds(6)
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
        return rule
    }()
}
