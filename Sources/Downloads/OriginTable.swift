import Media

/// Who may ask which origin when: the gate's rules, without a clock or a task.
///
/// A request asks for a place, and gets it at once, or waits for it, or is refused. Places are given to whoever has
/// least time. What has become of those that waited is taken with `takeSettled()` after every call.
struct OriginTable {
    /// A request that may be made now.
    struct Place: Equatable {
        let origin: Origin
        let start: Instant
        fileprivate let pass: CircuitBreaker.Pass
    }

    typealias Decision = Result<Place, OriginRefusal>

    private struct Waiter {
        var number: UInt64
        var origin: Origin
        var deadline: Instant
    }

    let rule: OriginRule
    private(set) var inFlight = 0
    private var records: [Origin: OriginRecord] = [:]
    /// Who has least time comes first.
    private var waiters: [Waiter] = []
    private var settled: [(number: UInt64, decision: Decision)] = []
    private var useCount: UInt64 = 0

    init(_ rule: OriginRule) { self.rule = rule }

    var originCount: Int { records.count }
    var waiterCount: Int { waiters.count }
    var refusingCount: Int { records.values.count { !$0.breaker.isClosed } }
    subscript(origin: Origin) -> OriginRecord? { records[origin] }

    /// Asks for a place for the request `number`. Whether it has one is among what is settled, now or later.
    mutating func ask(_ number: UInt64, _ origin: Origin, until deadline: Instant, at now: Instant) {
        settle(at: now)
        use(origin)
        if let decision = decision(for: origin, until: deadline, at: now) {
            settled.append((number, decision))
            return
        }
        let index = waiters.firstIndex { deadline < $0.deadline } ?? waiters.endIndex
        waiters.insert(Waiter(number: number, origin: origin, deadline: deadline), at: index)
        records[origin]?.waiting += 1
    }

    /// The request in `place` was answered with what it asked for, of which the rest may take long.
    mutating func answered(_ place: Place, at now: Instant) {
        let limit = records[place.origin]?.limit
        records[place.origin]?.answered(since: place.start, rule)
        if records[place.origin]?.limit != limit, records[place.origin]?.waiting != 0 { settle(at: now) }
    }

    /// Gives a place back. `jitter` is from 0 to 1. Says whether the origin is refused from now on.
    mutating func leave(_ place: Place, _ outcome: OriginOutcome, at now: Instant, jitter: Double) -> Bool {
        let wasFull = inFlight >= rule.globalLimit
        inFlight -= 1
        let wasRefused = records[place.origin]?.breaker.refusal(at: now) != nil
        records[place.origin]?.ended(outcome, since: place.start, at: now, rule)
        records[place.origin]?.breaker.finish(place.pass, outcome.health, at: now, jitter: jitter)
        let isRefused = records[place.origin]?.breaker.refusal(at: now) != nil
        if wasFull || records[place.origin]?.waiting != 0 { settle(at: now) }
        return isRefused && !wasRefused
    }

    /// Takes back what `number` asked for, if it still waits.
    mutating func cancel(_ number: UInt64) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        records[waiters[index].origin]?.waiting -= 1
        waiters.remove(at: index)
        settled.append((number, .failure(.cancelled)))
    }

    /// Whether a request to the origin that failed may be made once more, which is taken note of.
    mutating func mayRetry(_ origin: Origin, until deadline: Instant, at now: Instant) -> Bool {
        guard let record = records[origin], record.breaker.refusal(at: now) == nil else { return false }
        let start = max(now, record.pausedUntil ?? now)
        guard start + record.typicalTime * 2 < deadline else { return false }
        return records[origin]?.takeRetry() ?? false
    }

    /// Decides what time has decided.
    mutating func settle(at now: Instant) {
        guard !waiters.isEmpty else { return }
        var left: [Waiter] = []
        for waiter in waiters {
            if let decision = decision(for: waiter.origin, until: waiter.deadline, at: now) {
                records[waiter.origin]?.waiting -= 1
                settled.append((waiter.number, decision))
            } else {
                left.append(waiter)
            }
        }
        waiters = left
    }

    /// When `settle` has something to decide without anything else happening.
    func nextDue(after now: Instant) -> Instant? {
        let pauses = waiters.compactMap { records[$0.origin]?.pausedUntil }.filter { $0 > now }
        return (pauses + [waiters.first?.deadline].compactMap(\.self)).min()
    }

    mutating func takeSettled() -> [(number: UInt64, decision: Decision)] {
        defer { settled = [] }
        return settled
    }

    /// `nil`: it has to wait.
    private mutating func decision(for origin: Origin, until deadline: Instant, at now: Instant) -> Decision? {
        guard let record = records[origin] else { return .failure(.late) }
        if let refusal = record.breaker.refusal(at: now) { return .failure(.failing(until: refusal.until)) }
        guard now < deadline else { return .failure(.late) }
        if let end = record.pausedUntil, now < end {
            return end + record.typicalTime < deadline ? nil : .failure(.askedToWait(until: end))
        }
        guard inFlight < rule.globalLimit, record.inFlight < record.limit,
            let pass = try? records[origin]?.breaker.pass(at: now)
        else { return nil }
        inFlight += 1
        records[origin]?.began(rule)
        return .success(Place(origin: origin, start: now, pass: pass))
    }

    private mutating func use(_ origin: Origin) {
        useCount += 1
        if records[origin] == nil {
            if records.count >= rule.tableLimit { forgetSome() }
            records[origin] = OriginRecord(rule)
        }
        records[origin]?.lastUse = useCount
    }

    /// Forgets a tenth: those that were used least recently, and aren't in use.
    private mutating func forgetSome() {
        let idle = records.filter { $0.value.inFlight == 0 && $0.value.waiting == 0 }
        let oldest = idle.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, rule.tableLimit / 10))
        for (origin, _) in oldest { records[origin] = nil }
    }
}
