import Base
import Media

/// The facts known about one origin.
struct OriginRecord {
    let site: Site
    /// The number of requests that the origin gets at once.
    private(set) var limit: Int
    var inFlight = 0
    var waiting = 0
    var breaker: CircuitBreaker
    /// The end of the pause that the origin asked for.
    private(set) var pausedUntil: Instant?
    private var answers = 0
    private var lastDecrease: Instant?
    private var time: LearntDuration?
    private var hasEnded = false
    /// The number of retries available. It starts at one, or else the first failure of a day could never be retried.
    private var retries = 1.0

    /// The most retries that are saved for bad times.
    private static let mostRetries = 10.0

    init(_ site: Site, _ rule: OriginRule) {
        self.site = site
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

    func isPaused(at now: Instant) -> Bool { pausedUntil.map { now < $0 } ?? false }

    mutating func began(_ rule: OriginRule) {
        retries = min(retries + rule.retryShare, Self.mostRetries)
    }

    /// Records that a request that began at `start` was answered. The time until its last byte says little about the
    /// origin's capacity.
    mutating func answered(since start: Instant, _ rule: OriginRule) {
        guard lastDecrease.map({ start > $0 }) ?? true else { return }
        answers += 1
        if lastDecrease == nil || answers % rule.answersPerStep == 0 { limit = min(limit + 1, rule.mostLimit) }
    }

    /// Records the end of a request that began at `start`.
    mutating func ended(_ outcome: OriginOutcome, since start: Instant, at now: Instant, _ rule: OriginRule) {
        hasEnded = true
        if let pause = outcome.pause {
            pausedUntil = max(pausedUntil ?? now, now + min(pause, rule.longestPause))
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
