package import Media
import Synchronization
import Timing

/// How long decoding takes, learnt for each format from the jobs before.
package final class CostModel: Sendable {
    private let estimates = Mutex<[MediaFormat: LearntDuration]>([:])
    /// What the first job of a format is taken to cost.
    private static let firstGuess: Duration = .milliseconds(500)

    package init() {}

    /// The time within which nearly all conversions of `format` end.
    package func cost(of format: MediaFormat?) -> Duration {
        guard let format, let estimate = estimates.withLock({ $0[format] }) else { return Self.firstGuess }
        return estimate.nearlyAlways
    }

    /// Takes one conversion into account.
    package func learn(_ format: MediaFormat, took duration: Duration) {
        estimates.withLock { estimates in
            guard estimates[format] != nil else { return estimates[format] = LearntDuration(duration) }
            estimates[format]?.learn(duration)
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
