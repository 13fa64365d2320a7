import Values

/// An estimate of how long something takes, learnt from the times before: a mean and a deviation, with the weights that
/// TCP uses for its round-trip time (RFC 6298).
package struct LearntDuration: Sendable, Equatable {
    private var mean: Double
    private var deviation: Double

    /// Creates an estimate from the first measurement.
    package init(_ first: Duration) {
        mean = first / .seconds(1)
        deviation = mean / 2
    }

    package mutating func learn(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        deviation = deviation * 3 / 4 + abs(seconds - mean) / 4
        mean = mean * 7 / 8 + seconds / 8
    }

    /// The usual duration.
    package var typical: Duration { .seconds(clamping: mean) }

    /// A duration that is hardly ever exceeded: the mean and two deviations.
    package var nearlyAlways: Duration { .seconds(clamping: mean + 2 * deviation) }
}
