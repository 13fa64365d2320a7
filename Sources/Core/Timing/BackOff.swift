/// Rising pauses between attempts, with jitter so that many clients that failed together do not return together.
package struct BackOff: Sendable {
    private let first: Duration
    private let longest: Duration
    /// The number of failures in a row.
    package private(set) var failures = 0

    package init(first: Duration = .milliseconds(50), longest: Duration = .seconds(2)) {
        self.first = first
        self.longest = longest
    }

    /// Records one more failure and returns the pause before the next attempt: between half and all of a step that
    /// doubles each time. `jitter` is from 0 to 1.
    package mutating func next(jitter: Double = .random(in: 0...1)) -> Duration {
        let step = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return step * (0.5 + jitter / 2)
    }

    package mutating func succeeded() { failures = 0 }
}
