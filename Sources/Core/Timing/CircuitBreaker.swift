/// Keeps requests from a server that fails, and finds out by single ones when it works again.
///
/// Closed, it lets all through and counts them. It opens for a while after too many failures, then lets one probe
/// through at a time; some successes close it, a failure opens it for twice as long.
package struct CircuitBreaker: Sendable {
    package struct Rule: Sendable, Equatable {
        /// Failures in a row that open it: those to reach the server at all.
        package var streak = 5
        /// In this time, so many requests of which so great a share failed open it too.
        package var window: Duration = .seconds(10)
        package var leastCount = 20
        package var share = 0.5
        package var firstPause: Duration = .seconds(5)
        package var longestPause: Duration = .seconds(60)
        /// By how much a pause is varied, up and down.
        package var spread = 0.2
        /// So many probes in a row have to succeed.
        package var probes = 3

        package init() {}
    }

    package enum Outcome: Sendable, Equatable {
        case success
        /// The server was there and failed.
        case failure
        /// The server wasn't there.
        case unreachable
        /// It says nothing of the server: the request was cancelled.
        case unknown
    }

    /// Lets one request through. Its outcome has to be told with it.
    package struct Pass: Sendable, Equatable {
        fileprivate var generation: Int
        fileprivate var isProbe: Bool
    }

    /// No request is to be made.
    package struct Refusal: Error, Sendable, Equatable {
        /// When to ask again; `nil` while a probe is under way.
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
    /// Which closed or open time it is. What an earlier one's requests came to says nothing of this one.
    private var generation = 0

    package init(_ rule: Rule = Rule()) {
        self.rule = rule
        counts = RollingCounts(window: rule.window)
    }

    package var isClosed: Bool { state == .closed }

    /// What `pass` would refuse with, without taking a probe's place.
    package func refusal(at now: Instant) -> Refusal? {
        switch state {
        case .closed, .halfOpen(_, isProbing: false): nil
        case .open(let until): now < until ? Refusal(until: until) : nil
        case .halfOpen: Refusal(until: nil)
        }
    }

    package mutating func pass(at now: Instant) throws(Refusal) -> Pass {
        if let refusal = refusal(at: now) { throw refusal }
        switch state {
        case .closed: return Pass(generation: generation, isProbe: false)
        case .open: state = .halfOpen(successes: 0, isProbing: true)
        case .halfOpen(let successes, _): state = .halfOpen(successes: successes, isProbing: true)
        }
        return Pass(generation: generation, isProbe: true)
    }

    /// Takes note of what a request came to. `jitter` is from 0 to 1.
    package mutating func finish(_ pass: Pass, _ outcome: Outcome, at now: Instant, jitter: Double) {
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
