import Media
import Timing

/// What is known of one origin.
struct OriginRecord {
    let site: Site
    /// How many requests it gets at once.
    private(set) var limit: Int
    var inFlight = 0
    var waiting = 0
    var breaker: CircuitBreaker
    /// Until when it asked to be left alone.
    private(set) var pausedUntil: Instant?
    /// When it was used last, counted in uses of the table.
    var lastUse: UInt64 = 0
    private var answers = 0
    private var lastDecrease: Instant?
    private var time: LearntDuration?
    private var hasEnded = false
    /// Requests that may be made once more. One at the start, or the first failure of a day could never be.
    private var retries = 1.0

    /// Retries that are saved up for bad times.
    private static let mostRetries = 10.0

    init(_ site: Site, _ rule: OriginRule) {
        self.site = site
        limit = rule.firstLimit
        breaker = CircuitBreaker(rule.breaker)
    }

    /// How long a request takes most of the time.
    var typicalTime: Duration { time?.typical ?? .zero }

    /// How long a request may take for its first bytes.
    func grace(_ rule: OriginRule) -> Duration { min(max(rule.grace, typicalTime * 2), rule.grace * 2) }

    /// For how long one more request should stay away; `nil` if the origin will soon get to it. One that never worked is
    /// given time to recover.
    func crowding(_ rule: OriginRule) -> Duration? {
        guard let longest = rule.longestQueue else { return nil }
        guard let time else { return hasEnded ? .seconds(5) : .milliseconds(500) }
        let queue = time.typical * (waiting + 1) / limit
        return queue <= longest ? nil : min(queue, .seconds(10))
    }

    func isPaused(at now: Instant) -> Bool { pausedUntil.map { now < $0 } ?? false }

    mutating func began(_ rule: OriginRule) {
        inFlight += 1
        retries = min(retries + rule.retryShare, Self.mostRetries)
    }

    /// Takes note of a request that began at `start`, and was answered with what it asked for. How long all of that takes
    /// to come says little of what else the origin could send.
    mutating func answered(since start: Instant, _ rule: OriginRule) {
        guard lastDecrease.map({ start > $0 }) ?? true else { return }
        answers += 1
        if lastDecrease == nil || answers % rule.answersPerStep == 0 { limit = min(limit + 1, rule.mostLimit) }
    }

    /// Takes note of the end of a request that began at `start`.
    mutating func ended(_ outcome: OriginOutcome, since start: Instant, at now: Instant, _ rule: OriginRule) {
        inFlight -= 1
        hasEnded = true
        if let pause = outcome.pause {
            pausedUntil = max(pausedUntil ?? now, now + min(pause, rule.longestPause))
        }
        if outcome.isOverloaded {
            // Once for all requests that were under way together.
            guard lastDecrease.map({ start > $0 }) ?? true else { return }
            (limit, answers, lastDecrease) = (max(rule.leastLimit, limit / 2), 0, now)
        } else if outcome.health == .success {
            if time == nil { time = LearntDuration(now - start) } else { time?.learn(now - start) }
        }
    }

    /// Takes one of the retries that there are.
    mutating func takeRetry() -> Bool {
        guard retries >= 1 else { return false }
        retries -= 1
        return true
    }
}
