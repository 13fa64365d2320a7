import Media

/// When a connection that failed may be tried again: soon, then later and later, never all workers at the same time.
struct BackOff {
    static let first = Duration.milliseconds(50)
    static let longest = Duration.seconds(2)

    private var failures = 0
    private(set) var nextAttempt: Instant?

    /// `jitter` is from 0 to 1: the wait is between half and all of its step.
    mutating func failed(at now: Instant, jitter: Double) {
        let step = min(Self.first * (1 << min(failures, 10)), Self.longest)
        failures += 1
        nextAttempt = now + step * (0.5 + jitter / 2)
    }

    mutating func succeeded() { self = BackOff() }
}
