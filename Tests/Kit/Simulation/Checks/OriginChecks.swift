import Base

@testable import HTTPClient

/// The rules for one worker's requests to origins: no more than allowed, and none is kept from an origin that works.
///
/// `@unchecked Sendable`: a run has one thread.
final class OriginChecks: @unchecked Sendable {
    /// A request that an origin has.
    struct Request {
        fileprivate var origin: Int
        fileprivate var start: Duration
    }

    fileprivate struct Record {
        /// The last time at which a breaker may have opened because of the origin, or of its site.
        var lastFailure = Duration.seconds(-1000)
        /// The successes of requests that began after it.
        var successes = 0
        /// The latest requests that count, and whether they failed.
        var recent: [(end: Duration, hasFailed: Bool)] = []
        var inFlight = 0
        /// The last time at which a request ended.
        var lastEnd = Duration.seconds(-1)
    }

    private let verdict: Verdict
    private let scheduler: Scheduler
    private var records: [Int: Record] = [:]

    init(_ verdict: Verdict, _ scheduler: Scheduler) {
        self.verdict = verdict
        self.scheduler = scheduler
    }

    private var inFlight: Int { records.values.reduce(0) { $0 + $1.inFlight } }

    func begins(_ origin: Int, limit: Int) -> Request {
        records[origin, default: Record()].inFlight += 1
        verdict.require(inFlight <= limit, .originLimits, "\(inFlight) requests at once")
        return Request(origin: origin, start: scheduler.now)
    }

    /// Records the end of a request, before its permit is returned.
    func ends(_ request: Request, _ outcome: OriginOutcome, _ rule: CircuitBreaker.Rule) {
        let now = scheduler.now
        records[request.origin]?.inFlight -= 1
        records[request.origin]?.lastEnd = now
        if outcome.wasPreempted {
            // It may count against the whole site.
            for origin in Self.site(of: request.origin) { records[origin, default: Record()].fails(at: now) }
        } else if outcome.health != .unknown {
            records[request.origin]?.counts(outcome.health == .success, since: request.start, at: now, rule)
        }
    }

    /// Checks that a request is refused only while its origin has not worked since it failed, and for no longer than a circuit
    /// breaker may be open.
    func refused(_ origin: Int, _ error: OriginLimitError, _ usage: OriginUsage, _ rule: CircuitBreaker.Rule) {
        guard case .failing(let until) = error else { return }
        let (now, record, name) = (scheduler.now, records[origin, default: Record()], Source.host(origin))
        verdict.require(
            record.successes < rule.probes,
            .breakers,
            "a request to \(name) was refused after \(record.successes) requests in a row had worked",
        )
        if until != nil {
            let end = record.lastFailure + rule.longestPause * (1 + rule.spread)
            verdict.require(now <= end, .breakers, "\(name) failed at \(record.lastFailure), and is not tried again")
            return
        }
        let site = Self.site(of: origin).compactMap { records[$0] }
        // One that got its permit just now is counted by the limiter only.
        let isTested = site.contains { $0.inFlight > 0 || $0.lastEnd == now } || usage.inFlight > inFlight
        verdict.require(isTested, .breakers, "requests to \(name) wait for one that tests it, and there is none")
    }

    /// The origins of the same site.
    private static func site(of origin: Int) -> Range<Int> { origin / 2 * 2..<origin / 2 * 2 + 2 }
}

extension OriginChecks.Record {
    fileprivate mutating func fails(at now: Duration) {
        recent.append((now, true))
        (lastFailure, successes) = (now, 0)
    }

    fileprivate mutating func counts(
        _ isSuccess: Bool,
        since start: Duration,
        at now: Duration,
        _ rule: CircuitBreaker.Rule,
    ) {
        guard isSuccess else { return fails(at: now) }
        recent.append((now, false))
        // A window that moves in steps may be a little longer.
        recent.removeAll { $0.end < now - rule.window * 1.5 }
        if start > lastFailure { successes += 1 }
        // A success can be the request that makes the failures before it enough.
        var failures = 0.0
        for (index, request) in recent.reversed().enumerated() {
            failures += request.hasFailed ? 1 : 0
            let count = index + 1
            if count >= rule.leastCount, failures >= Double(count) * rule.share { (lastFailure, successes) = (now, 0) }
        }
    }
}
