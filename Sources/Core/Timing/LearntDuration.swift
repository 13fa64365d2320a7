import Values

/// How long something takes, learnt from the times before: a mean and a deviation, with the weights that TCP uses for
/// its round-trip time (RFC 6298).
package struct LearntDuration: Sendable, Equatable {
    private var mean: Double
    private var deviation: Double

    /// The first time.
    package init(_ first: Duration) {
        mean = first / .seconds(1)
        deviation = mean / 2
    }

    package mutating func learn(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        deviation = deviation * 3 / 4 + abs(seconds - mean) / 4
        mean = mean * 7 / 8 + seconds / 8
    }

    /// What it takes most of the time.
    package var typical: Duration { .seconds(clamping: mean) }

    /// What it nearly never takes longer than: the mean and two deviations.
    package var nearlyAlways: Duration { .seconds(clamping: mean + 2 * deviation) }
}
