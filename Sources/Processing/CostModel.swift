package import Media
import Synchronization

/// How long decoding takes, learnt from the jobs before: a mean and a deviation for each format.
package final class CostModel: Sendable {
    private struct Estimate {
        var mean: Double
        var deviation: Double
    }

    private let estimates = Mutex<[MediaFormat: Estimate]>([:])
    /// What the first job of a format is taken to cost.
    private static let firstGuess: Duration = .milliseconds(500)

    package init() {}

    /// The time within which nearly all conversions of `format` end: the mean and two deviations.
    package func cost(of format: MediaFormat?) -> Duration {
        guard let format, let estimate = estimates.withLock({ $0[format] }) else { return Self.firstGuess }
        return .seconds(estimate.mean + 2 * estimate.deviation)
    }

    /// Takes one conversion into account, with the weights that TCP uses for its round-trip time (RFC 6298).
    package func learn(_ format: MediaFormat, took duration: Duration) {
        let seconds = Double(duration.milliseconds) / 1000
        estimates.withLock { estimates in
            guard let old = estimates[format] else {
                estimates[format] = Estimate(mean: seconds, deviation: seconds / 2)
                return
            }
            estimates[format] = Estimate(
                mean: old.mean * 7 / 8 + seconds / 8,
                deviation: old.deviation * 3 / 4 + abs(seconds - old.mean) / 4,
            )
        }
    }

    /// The rungs worth trying in `timeLeft`: cheap ones first when the best may not be done in time, none when not even
    /// they may.
    package func rungs(for format: MediaFormat, in timeLeft: Duration) -> Set<Rung> {
        let cost = cost(of: format)
        guard timeLeft > cost / 20 else { return [] }
        var rungs = Set(Rung.allCases)
        if timeLeft > cost * 4 { rungs.remove(.fast) }
        if timeLeft < cost / 2 { rungs.subtract([.downscaled, .animation, .transcoded]) }
        return rungs
    }
}
