package import Jobs
import Media
package import Timing

/// How often a callback is tried, and when next.
package struct CallbackPolicy: Sendable, Equatable {
    package var tries: Int
    /// From the answer to the last try.
    package var age: Duration
    /// After the first failure; twice as long after each further one.
    package var firstDelay: Duration
    package var longestDelay: Duration

    package init(
        tries: Int = 12,
        age: Duration = .seconds(3600),
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(300),
    ) {
        self.tries = tries
        self.age = age
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// Whether a callback is tried at all. One whose tries all ended with their worker is not.
    package func allows(_ callback: LeasedCallback) -> Bool { callback.attempt <= tries }

    /// How long to wait after one more failure; `nil` when it is given up. `random`, from 0 to 1, spreads callbacks that
    /// failed together by a fifth to both sides.
    package func delay(after callback: LeasedCallback, now: Instant, random: Double) -> Duration? {
        guard callback.attempt < tries else { return nil }
        // Doubled twenty times it is longer than any limit.
        let doubled = firstDelay * (1 << min(callback.failures, 20))
        let delay = min(doubled, longestDelay) * (0.8 + 0.4 * random)
        return now + delay - callback.answered <= age ? delay : nil
    }
}
