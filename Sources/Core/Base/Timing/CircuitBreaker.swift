/// A circuit breaker: keeps requests from a failing server, and probes with single ones until it works again.
///
/// A closed breaker lets all requests through and counts them. After too many failures it opens for a while, then lets
/// one probe through at a time. Some successes close it; a failure opens it for twice as long.
package struct CircuitBreaker: Sendable {
    package struct Rule: Sendable, Equatable {
        /// The number of failures in a row to reach the server at all that opens the breaker.
        package var streak = 5
        /// The time in which a number of requests, with a share of failures, opens the breaker too.
        package var window: Duration = .seconds(10)
        package var leastCount = 20
        package var share = 0.5
        package var firstPause: Duration = .seconds(5)
        package var longestPause: Duration = .seconds(60)
        /// The share by which a pause is varied, up and down.
        package var spread = 0.2
        /// The number of probes in a row that must succeed to close the breaker.
        package var probes = 3

        package init() {}

        /// A rule whose pauses end with a test each second, and with the first one that succeeds.
        package static let tests: Rule = {
            var rule = Rule()
            (rule.firstPause, rule.longestPause, rule.probes) = (.seconds(1), .seconds(1), 1)
            return rule
        }()
    }

    package enum Outcome: Sendable, Equatable {
        case success
        /// The server answered with a failure.
        case failure
        /// The server could not be reached.
        case unreachable
        /// The request was cancelled, which says nothing about the server.
        case unknown
    }

    /// The permission for one request. Its outcome must be reported with it.
    package struct Pass: Sendable, Equatable {
        fileprivate var generation: Int
        fileprivate var isProbe: Bool
    }

    /// The refusal of a request while the breaker is open.
    package struct OpenError: Error, Sendable, Equatable {
        /// The instant at which to ask again, or `nil` while a probe is under way.
        package var until: Instant?

        package init(until: Instant?) { self.until = until }
    }

    private enum State: Equatable {
        case closed
        case open(until: Instant)
        case halfOpen(successes: Int, isProbing: Bool)
    }

    private let rule: Rule
    private var state = State.closed
    private var counts: RollingCounts
    private var streak = 0
    private var pauses = 0
    /// The number of the current closed or open period. Outcomes of requests from an earlier period are ignored.
    private var generation = 0

    package init(_ rule: Rule = Rule()) {
        self.rule = rule
        counts = RollingCounts(window: rule.window)
    }

    package var isClosed: Bool { state == .closed }

    /// A Boolean value that indicates whether a probe is under way.
    package var isProbing: Bool {
        if case .halfOpen(_, isProbing: true) = state { true } else { false }
    }

    /// Returns the refusal that `pass` would throw, without taking a probe's turn.
    package func refusal(at now: Instant) -> OpenError? {
        switch state {
        case .closed, .halfOpen(_, isProbing: false): nil
        case .open(let until): now < until ? OpenError(until: until) : nil
        case .halfOpen: OpenError(until: nil)
        }
    }

    package mutating func pass(at now: Instant) throws(OpenError) -> Pass {
        if let refusal = refusal(at: now) { throw refusal }
        switch state {
        case .closed: return Pass(generation: generation, isProbe: false)
        case .open: state = .halfOpen(successes: 0, isProbing: true)
        case .halfOpen(let successes, _): state = .halfOpen(successes: successes, isProbing: true)
        }
        return Pass(generation: generation, isProbe: true)
    }

    /// Records the outcome of a request. `jitter` is from 0 to 1. Returns `true` if the breaker opened.
    @discardableResult
    package mutating func finish(_ pass: Pass, _ outcome: Outcome, at now: Instant, jitter: Double) -> Bool {
        let before = generation
        record(pass, outcome, at: now, jitter: jitter)
        guard generation != before, case .open = state else { return false }
        return true
    }

    private mutating func record(_ pass: Pass, _ outcome: Outcome, at now: Instant, jitter: Double) {
        guard pass.generation == generation else { return }
        guard case .halfOpen(let successes, _) = state else { return count(outcome, now, jitter) }
        guard pass.isProbe else { return }
        switch outcome {
        case .success where successes + 1 >= rule.probes: close()
        case .success: state = .halfOpen(successes: successes + 1, isProbing: false)
        case .unknown: state = .halfOpen(successes: successes, isProbing: false)
        case .failure, .unreachable: open(now, jitter)
        }
    }

    private mutating func count(_ outcome: Outcome, _ now: Instant, _ jitter: Double) {
        guard outcome != .unknown else { return }
        counts.add(failed: outcome != .success, at: now)
        streak = outcome == .unreachable ? streak + 1 : 0
        let (requests, failures) = counts.total(at: now)
        let isFailing = requests >= rule.leastCount && Double(failures) >= Double(requests) * rule.share
        if streak >= rule.streak || isFailing { open(now, jitter) }
    }

    private mutating func open(_ now: Instant, _ jitter: Double) {
        let pause = min(rule.firstPause * (1 << min(pauses, 20)), rule.longestPause)
        pauses += 1
        generation += 1
        state = .open(until: now + pause * (1 + rule.spread * (2 * jitter - 1)))
    }

    private mutating func close() {
        generation += 1
        (state, streak, pauses) = (.closed, 0, 0)
        counts = RollingCounts(window: rule.window)
    }
}
