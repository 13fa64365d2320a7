package import Base

/// The division of the time until a deadline.
package struct TimeBudget: Sendable, Equatable {
    /// The time at which the best attempt is taken: `serviceExtensionTimeWillExpire`.
    package var expiry: Instant
    /// The time after which files that are not stored yet are left out.
    package var storeExpiry: Instant

    /// Divides the time until `deadline`. Storing and rewriting take a few milliseconds: they get a tenth of the time,
    /// at most 150 ms, and a third of that is for answering. Where files also go over a network, they get twice `cost`
    /// in addition, up to a quarter of the time.
    ///
    /// Timers end late on a full machine, and so would the answer. Everything is earlier by the `lateness` of the
    /// clock, up to another quarter.
    package init(
        now: Instant,
        deadline: Instant,
        storing cost: Duration = .zero,
        lateness: Duration = .zero,
    ) {
        let left = max(.zero, deadline - now)
        let reserve = min(.milliseconds(150), left / 10)
        let end = deadline - min(lateness, left / 4)
        expiry = end - reserve - min(cost * 2, left / 4)
        storeExpiry = end - reserve / 3
    }

    /// Returns the time at which a download under way ends, so that its bytes can be decoded before `expiry`.
    ///
    /// `cost` is a time that is hardly ever exceeded, so once is enough: twice of it gave up one source in ten that would
    /// have come in time.
    package static func sourceExpiry(now: Instant, expiry: Instant, decoding cost: Duration) -> Instant {
        let left = max(.zero, expiry - now)
        return expiry - min(max(.milliseconds(200), cost), left / 2)
    }
}
