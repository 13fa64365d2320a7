package import Jobs
import Media
package import Timing

/// The number and the timing of attempts to post a callback.
package struct CallbackPolicy: Sendable, Equatable {
    package var tries: Int
    /// The time from the answer to the last attempt.
    package var age: Duration
    /// The delay after the first failure. It doubles with each further failure.
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

    /// Returns whether a callback may be posted. Refuses one whose attempts all ended with their worker's death.
    package func allows(_ callback: LeasedCallback) -> Bool { callback.attempt <= tries }

    /// Returns the delay after one more failure, or `nil` if the callback is given up. `random`, from 0 to 1, changes
    /// the delay by up to a fifth in either direction, to spread callbacks that failed together.
    package func delay(after callback: LeasedCallback, now: Instant, random: Double) -> Duration? {
        guard callback.attempt < tries else { return nil }
        // Doubled twenty times, the delay is longer than any limit.
        let doubled = firstDelay * (1 << min(callback.failures, 20))
        let delay = min(doubled, longestDelay) * (0.8 + 0.4 * random)
        return now + delay - callback.answered <= age ? delay : nil
    }
}
