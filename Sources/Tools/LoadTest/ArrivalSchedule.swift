import Glibc
import Media
import SeededRandom
import Values

/// When notifications are due: an open loop, so whatever becomes of those before.
package struct ArrivalSchedule: Sequence, IteratorProtocol, Sendable {
    package enum Arrivals: String, Sendable, CaseIterable, Codable {
        /// At even distances.
        case fixed
        /// At random, as from many senders that know nothing of each other: exponential gaps.
        case poisson
    }

    private let arrivals: Arrivals
    private let rate: Double
    private let duration: Duration
    private var random: SplitMix
    private var number = 0
    private var last = Duration.zero

    /// `rate` is a second's, above 0.
    package init(_ arrivals: Arrivals, rate: Double, duration: Duration, seed: UInt64) {
        self.arrivals = arrivals
        self.rate = rate
        self.duration = duration
        random = SplitMix(seed: seed)
    }

    /// The next one's time, from the beginning; `nil` when the duration is over.
    package mutating func next() -> Duration? {
        switch arrivals {
        case .fixed: last = .seconds(clamping: Double(number) / rate)
        case .poisson: last += .seconds(clamping: -log(1 - Double.random(in: 0..<1, using: &random)) / rate)
        }
        number += 1
        return last < duration ? last : nil
    }
}
