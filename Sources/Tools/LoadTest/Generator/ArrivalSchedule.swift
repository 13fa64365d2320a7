import Glibc
import Media
import SeededRandom
import Values

/// The times at which notifications are due. The schedule is an open loop: it does not depend on earlier notifications.
package struct ArrivalSchedule: Sequence, IteratorProtocol, Sendable {
    package enum Arrivals: String, Sendable, CaseIterable, Codable {
        /// Arrivals at equal distances.
        case fixed
        /// Arrivals at random times with exponentially distributed gaps, as from many independent senders.
        case poisson
    }

    private let arrivals: Arrivals
    private let rate: Double
    private let duration: Duration
    private var random: SplitMix
    private var number = 0
    private var last = Duration.zero

    /// Creates a schedule. `rate` is the number of notifications a second, above 0.
    package init(_ arrivals: Arrivals, rate: Double, duration: Duration, seed: UInt64) {
        self.arrivals = arrivals
        self.rate = rate
        self.duration = duration
        random = SplitMix(seed: seed)
    }

    /// Returns the next time, counted from the start; `nil` when the duration is over.
    package mutating func next() -> Duration? {
        switch arrivals {
        case .fixed: last = .seconds(clamping: Double(number) / rate)
        case .poisson: last += .seconds(clamping: -log(1 - Double.random(in: 0..<1, using: &random)) / rate)
        }
        number += 1
        return last < duration ? last : nil
    }
}
