/// Rising pauses between tries of something that fails, spread so that many who failed together don't come back together.
package struct BackOff: Sendable {
    private let first: Duration
    private let longest: Duration
    /// How often it failed one after the other.
    package private(set) var failures = 0

    package init(first: Duration = .milliseconds(50), longest: Duration = .seconds(2)) {
        self.first = first
        self.longest = longest
    }

    /// How long to wait after one more failure: between half and all of a step that doubles each time. `jitter` is from
    /// 0 to 1.
    package mutating func next(jitter: Double = .random(in: 0...1)) -> Duration {
        let step = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return step * (0.5 + jitter / 2)
    }

    package mutating func succeeded() { failures = 0 }
}
