import Glibc
package import Timing

/// How much is asked of one origin, and of all together.
package struct OriginRule: Sendable, Equatable {
    /// How many requests one origin gets at once: it begins with `firstLimit`, goes up by one with each answer, and is
    /// halved when the origin has too much. From then on it goes up by one with each `answersPerStep` (slow start, additive
    /// increase, multiplicative decrease).
    package var firstLimit = 8
    package var leastLimit = 2
    package var mostLimit = 32
    package var answersPerStep = 10
    /// How many requests there are at once to all of them.
    package var globalLimit = min(512, 32 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    package var breaker = CircuitBreaker.Rule()
    /// How many requests may be made once more, for each that is made.
    package var retryShare = 0.1
    /// An origin that asks to be left alone is, for so long at most.
    package var longestPause: Duration = .seconds(60)
    /// An origin isn't blamed for a request that wasn't done in time if it had less time than this, or if bytes had come
    /// within this time.
    package var fairTime: Duration = .seconds(1)
    /// How long a request may take for its first bytes before it counts as slow; twice that where the origin is known to
    /// take so long.
    package var grace: Duration = .seconds(2)
    /// A site may use all permits when no other has asked for one for this long. Otherwise a quarter is kept for others.
    package var lonelyTime: Duration = .seconds(10)
    /// A request is refused if its origin would take longer than this to get to it; `nil` has it wait until its deadline.
    package var longestQueue: Duration?
    /// Shared hosts, whose tenants are told apart.
    package var tenants: [TenantRule] = []
    /// How many origins are remembered.
    package var tableLimit = 10_000

    package init() {}

    /// For answers that are posted to callbacks: small, and tried again later. An origin that has not answered yet gets
    /// few at once.
    static let callbacks: OriginRule = {
        var rule = OriginRule()
        (rule.firstLimit, rule.leastLimit, rule.mostLimit, rule.globalLimit) = (4, 1, 32, 256)
        (rule.longestQueue, rule.grace) = (.seconds(1), .seconds(1))
        return rule
    }()
}
