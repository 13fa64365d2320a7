import Base
import Media

/// The facts known about one origin.
struct OriginRecord {
    /// The number of requests that the origin gets at once.
    private(set) var limit: Int
    var inFlight = 0
    var waiting = 0
    var breaker: CircuitBreaker
    /// The end of the pause that the origin asked for.
    private(set) var pausedUntil: Instant?
    /// The time from which one request may test whether the origin still wants that pause.
    private var nextTest: Instant?
    private var pauseBegan: Instant?
    /// The beginning of the test that shows whether an origin works again that failed.
    private var testBegan: Instant?
    private var answers = 0
    private var lastDecrease: Instant?
    private var time: LearntDuration?
    private var hasEnded = false
    /// The number of retries available. It starts at one, or else the first failure of a day could never be retried.
    private var retries = 1.0

    /// The most retries that are saved for bad times.
    private static let mostRetries = 10.0

    init(_ rule: OriginRule) {
        limit = rule.firstLimit
        breaker = CircuitBreaker(rule.breaker)
    }

    /// The usual duration of a request.
    var typicalTime: Duration { time?.typical ?? .zero }

    /// Returns the time that a request may take for its first bytes.
    func grace(_ rule: OriginRule) -> Duration { min(max(rule.grace, typicalTime * 2), rule.grace * 2) }

    /// Returns how long one more request should wait, or `nil` if the origin will soon get to it. An origin that never
    /// worked gets time to recover.
    func crowding(_ rule: OriginRule) -> Duration? {
        guard let longest = rule.longestQueue else { return nil }
        guard let time else { return hasEnded ? .seconds(5) : .milliseconds(500) }
        let queue = time.typical * (waiting + 1) / limit
        return queue <= longest ? nil : min(queue, .seconds(10))
    }

    /// What holds back all requests.
    struct Hold {
        /// The time of the next test, or `nil` while one is under way.
        var end: Instant?
        /// The time until which requests wait for the test under way.
        var patience: Instant?
        /// A Boolean value that indicates whether the origin asked for it, and did not fail.
        var isAsked = false
    }

    /// The longest time for which requests wait for a test that shows whether the origin works again.
    private static let patience: Duration = .seconds(2)

    /// Returns what holds back requests, or `nil` if one may begin.
    func hold(at now: Instant) -> Hold? {
        if let refusal = breaker.refusal(at: now) {
            return Hold(end: refusal.until, patience: refusal.until == nil ? testBegan.map { $0 + Self.patience } : nil)
        }
        guard let end = pausedUntil, now < end, let nextTest, now < nextTest else { return nil }
        return Hold(end: min(end, nextTest), isAsked: true)
    }

    /// A Boolean value that indicates whether the origin may have one more request. A test is not held back by requests that
    /// hang.
    var hasRoom: Bool { inFlight < limit || !breaker.isClosed }

    /// A Boolean value that indicates whether a request under way tests if the origin works again.
    var isTested: Bool { breaker.isProbing }

    mutating func began(at now: Instant, _ rule: OriginRule) {
        retries = min(retries + rule.retryShare, Self.mostRetries)
        if breaker.isProbing { testBegan = now }
        if pausedUntil.map({ now < $0 }) ?? false { nextTest = now + rule.testPause }
    }

    /// Records that a request that began at `start` was answered. The time until its last byte says little about the
    /// origin's capacity.
    mutating func answered(since start: Instant, _ rule: OriginRule) {
        guard lastDecrease.map({ start > $0 }) ?? true else { return }
        answers += 1
        if lastDecrease == nil || answers % rule.answersPerStep == 0 { limit = min(limit + 1, rule.mostLimit) }
    }

    /// Records the end of a request that began at `began`; from `start` on it ran without a pause of its receiver.
    mutating func ended(
        _ outcome: OriginOutcome,
        since start: Instant,
        began: Instant,
        at now: Instant,
        _ rule: OriginRule,
    ) {
        hasEnded = true
        if let pause = outcome.pause {
            if pausedUntil.map({ $0 <= now }) ?? true { (pauseBegan, nextTest) = (now, now + rule.testPause) }
            pausedUntil = max(pausedUntil ?? now, now + min(pause, rule.longestPause))
        } else if outcome.health == .success, pauseBegan.map({ began >= $0 }) ?? false {
            pausedUntil = nil
        }
        if outcome.isOverloaded {
            // The limit falls once for all requests that ran together.
            guard lastDecrease.map({ start > $0 }) ?? true else { return }
            (limit, answers, lastDecrease) = (max(rule.leastLimit, limit / 2), 0, now)
        } else if outcome.health == .success {
            if time == nil { time = LearntDuration(now - start) } else { time?.learn(now - start) }
        }
    }

    /// Takes one of the available retries. Returns `false` if no retry is available.
    mutating func takeRetry() -> Bool {
        guard retries >= 1 else { return false }
        retries -= 1
        return true
    }
}
