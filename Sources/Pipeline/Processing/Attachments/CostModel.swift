import Base
package import Media
import Synchronization

/// A model of the time that decoding takes, learned for each format from earlier jobs.
package final class CostModel: Sendable {
    private let estimates = Mutex<[MediaFormat: LearntDuration]>([:])
    /// The cost that is assumed for the first job of a format.
    private static let firstGuess: Duration = .milliseconds(500)

    package init() {}

    /// Returns the time within which nearly all conversions of `format` end.
    package func cost(of format: MediaFormat?) -> Duration {
        guard let format, let estimate = estimates.withLock({ $0[format] }) else { return Self.firstGuess }
        return estimate.nearlyAlways
    }

    /// Adds the time of one conversion to the model.
    package func learn(_ format: MediaFormat, took duration: Duration) {
        estimates.withLock { estimates in
            guard estimates[format] != nil else { return estimates[format] = LearntDuration(duration) }
            estimates[format]?.learn(duration)
        }
    }

    private func isKnown(_ format: MediaFormat) -> Bool { estimates.withLock { $0[format] != nil } }

    /// Returns the rungs worth trying in `timeLeft`: the cheap ones first if the best may not be done in time, and none
    /// if even the cheap ones may not. The first job of a format tries the best in any case.
    package func rungs(for format: MediaFormat, in timeLeft: Duration) -> Set<Rung> {
        let cost = cost(of: format)
        guard timeLeft > cost / 20 else { return [] }
        var rungs = Set(Rung.allCases)
        if timeLeft > cost * 4 { rungs.subtract(Rung.reduced) }
        // A third of a video is worth more than its poster.
        if timeLeft < cost / (format.kind == .video ? 3 : 2), isKnown(format) { rungs.subtract(Rung.full) }
        return rungs
    }
}
