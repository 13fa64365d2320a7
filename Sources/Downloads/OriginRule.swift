import Glibc
package import Media

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
    package var longestPause: Duration = .seconds(3600)
    /// An origin isn't blamed for a request that wasn't done in time if it had less time than this, or if bytes had come
    /// within this time.
    package var fairTime: Duration = .seconds(1)
    /// How many origins are remembered.
    package var tableLimit = 10_000

    package init() {}
}
