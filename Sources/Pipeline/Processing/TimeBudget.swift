package import Timing

/// How the time until a deadline is shared out.
package struct TimeBudget: Sendable, Equatable {
    /// When the best attempt is taken: `serviceExtensionTimeWillExpire`.
    package var expiry: Instant
    /// When what isn't stored is left out.
    package var storeExpiry: Instant

    /// Storing and rewriting take a few milliseconds; a tenth of the time, 150 ms at most, is kept for them, and a
    /// third of that for answering. Where files go over a network too, twice what that costs is kept beside it, up to a
    /// quarter of the time.
    package init(now: Instant, deadline: Instant, storing cost: Duration = .zero) {
        let left = max(.zero, deadline - now)
        let reserve = min(.milliseconds(150), left / 10)
        expiry = deadline - reserve - min(cost * 2, left / 4)
        storeExpiry = deadline - reserve / 3
    }

    /// When a download that is still under way is ended, so that what came can be decoded before `expiry`.
    package static func sourceExpiry(now: Instant, expiry: Instant, decoding cost: Duration) -> Instant {
        let left = max(.zero, expiry - now)
        return expiry - min(max(.milliseconds(200), cost * 2), left / 2)
    }
}
