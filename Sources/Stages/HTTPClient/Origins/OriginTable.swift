import Base
import Media

/// The limiter's rules, without a clock or a task.
///
/// A request asks for a permit, and gets it at once, waits for it, or is refused. Permits go to the request with the
/// least time, first among the sites that have less than their fair share. An origin that failed or asked for a pause is
/// tested by one request each second, for which the others wait. After every call, `takeSettled()` returns the decisions
/// about waiting requests, and `takePreempted()` the requests that must give way to them.
struct OriginTable {
    /// The permit of a request that may be made now.
    struct Permit: Equatable {
        let origin: Origin
        let start: Instant
        /// The permit's unique number.
        let number: UInt64
        fileprivate let pass: CircuitBreaker.Pass
        fileprivate let sitePass: CircuitBreaker.Pass
    }

    typealias Decision = Result<Permit, OriginLimitError>

    let rule: OriginRule
    private(set) var inFlight = 0
    /// The number of requests to sites that were unknown when these began.
    private(set) var unknownInFlight = 0
    /// The origins. Those in use are not evicted, so `forgetSome` limits their number.
    private(set) var records = BoundedTable<Origin, OriginRecord>()
    private(set) var sites: [Site: SiteRecord] = [:]
    /// The number of sites that have requests under way or waiting.
    private(set) var activeSites = 0
    /// The number of requests that were told to give way, and have not ended yet.
    var endingCount = 0
    var running: [UInt64: RunningRequest] = [:]
    var waiting = WaitingRequests()
    /// The number of requests that wait elsewhere, before their origin is known.
    private(set) var demand = 0
    /// The time until which requests may begin, and that by which they must be done, once the process ends.
    private(set) var ending: (lastStart: Instant, end: Instant)?
    private var settled: [(number: UInt64, decision: Decision)] = []
    var preempted: [(number: UInt64, cause: Preemption)] = []
    private var lastPermit: UInt64 = 0
    /// The site of the last request and its time, and the last time that another site had one.
    private var latest: (site: Site, instant: Instant)?
    private var latestOther: Instant?
    /// The time of the last request to a site that was known.
    private var latestKnown: Instant?

    init(_ rule: OriginRule) { self.rule = rule }

    var originCount: Int { records.count }
    var waiterCount: Int { waiting.count }
    var refusingCount: Int { records.oldestFirst.count { !$1.breaker.isClosed || isSlow($0.site) } }
    subscript(origin: Origin) -> OriginRecord? { records[origin] }

    private func isSlow(_ site: Site) -> Bool { sites[site]?.breaker.isClosed == false }

    /// Asks for a permit for the request `number`. The decision is among the settled ones, now or later.
    mutating func ask(_ number: UInt64, _ origin: Origin, until deadline: Instant, at now: Instant) {
        decide(at: now)
        use(origin, at: now)
        if let decision = decision(for: origin, until: deadline, at: now) ?? crowding(origin, at: now) {
            settled.append((number, decision))
            return
        }
        waiting.add(WaitingRequests.Urgency(deadline: deadline, number: number), to: origin)
        records.update(origin) { $0.waiting += 1 }
        update(origin.site) { $0.waiting += 1 }
        review(origin, at: now)
        preempt(at: now)
    }

    /// Lets waiting requests begin for a little while only, and has those give way that would not be done at `end`. A request
    /// without a first byte has until then.
    mutating func drain(until end: Instant, at now: Instant) {
        ending = (now + rule.lastStart, end)
        for number in running.keys { running[number]?.awaitFirstByte(until: end) }
        settle(at: now)
    }

    /// Sets the number of requests that wait elsewhere.
    mutating func setDemand(_ count: Int, at now: Instant) {
        demand = count
        preempt(at: now)
    }

    /// Records that the request of `permit` was answered. The rest of the body may take long.
    mutating func answered(_ permit: Permit, at now: Instant) {
        let limit = records[permit.origin]?.limit
        records.update(permit.origin) { $0.answered(since: permit.start, rule) }
        guard records[permit.origin]?.limit != limit, records[permit.origin]?.waiting != 0 else { return }
        review(permit.origin, at: now)
        settle(at: now)
    }

    /// Records that `received` bytes of an answer's body have come, of `expected` if its size is known.
    mutating func progressed(_ permit: Permit, _ received: Int, of expected: Int?, at now: Instant) {
        running[permit.number]?.progressed(received, of: expected, at: now)
    }

    /// Records that the receiver takes no bytes for now. Until it resumes, its server is idle, and others may begin instead.
    mutating func suspend(_ permit: Permit, at now: Instant) {
        guard let request = running[permit.number], !request.isSuspended else { return }
        let isOthersTurn = isOthersTurn(after: request)
        running[permit.number]?.suspend(at: now)
        count(request, -1, at: now)
        if isOthersTurn { settle(at: now) }
    }

    /// Records that the receiver takes bytes again. It does not wait: if there are more requests than permits then, one of
    /// all running requests gives way to those that wait.
    mutating func resume(_ permit: Permit, at now: Instant) {
        guard let request = running[permit.number], request.isSuspended else { return }
        count(request, 1, at: now)
        running[permit.number]?.resume(at: now, grace: now + (records[permit.origin]?.grace(rule) ?? rule.grace))
        preempt(at: now)
    }

    /// Counts a request among those that hold a permit, or no longer.
    private mutating func count(_ request: RunningRequest, _ change: Int, at now: Instant) {
        inFlight += change
        if !request.isKnown { unknownInFlight += change }
        records.update(request.origin) { $0.inFlight += change }
        update(request.origin.site) { $0.inFlight += change }
        review(request.origin, at: now)
    }

    private func isOthersTurn(after request: RunningRequest) -> Bool {
        inFlight >= rule.globalLimit || sites[request.origin.site]?.waiting != 0
            || (!request.isKnown && !waiting.isEmpty)
    }

    /// Returns a permit. `jitter` is from 0 to 1. Returns whether the origin is refused from now on.
    mutating func leave(_ permit: Permit, _ outcome: OriginOutcome, at now: Instant, jitter: Double) -> Bool {
        guard let request = running.removeValue(forKey: permit.number) else { return false }
        let isOthersTurn = isOthersTurn(after: request)
        if !request.isSuspended { count(request, -1, at: now) }
        let start = permit.start + request.suspendedTime(at: now)
        var outcome = outcome
        if outcome.wasPreempted, request.isHopeless { (outcome.health, outcome.isOverloaded) = (.failure, true) }
        let wasRefused = refusal(of: permit.origin, at: now) != nil
        let wasTested = records[permit.origin]?.isTested ?? false
        let isOpening = records.update(permit.origin) { record in
            record.ended(outcome, since: start, began: permit.start, at: now, rule)
            return record.breaker.finish(permit.pass, outcome.health, at: now, jitter: jitter)
        }
        update(permit.origin.site) { $0.ended(request, permit.sitePass, outcome, at: now, jitter: jitter) }
        if request.preemption != nil { endingCount -= 1 }
        let refusal = refusal(of: permit.origin, at: now)
        // The others waited for this test.
        if let refusal, wasTested, isOpening == true { refuse(permit.origin, .failing(until: refusal.until)) }
        review(permit.origin, at: now)
        reviewSite(permit.origin.site, at: now)
        if isOthersTurn { settle(at: now) }
        return refusal != nil && !wasRefused
    }

    /// Withdraws the request `number`, if it still waits.
    mutating func cancel(_ number: UInt64) {
        guard let request = waiting.remove(number) else { return }
        settle(request, .failure(.cancelled))
    }

    /// Returns whether a failed request to the origin may be retried, and counts the retry.
    mutating func mayRetry(_ origin: Origin, until deadline: Instant, at now: Instant) -> Bool {
        guard let record = records[origin], refusal(of: origin, at: now) == nil else { return false }
        let start = max(now, record.hold(at: now)?.end ?? now)
        guard start + record.typicalTime * 2 < deadline else { return false }
        return records.update(origin) { $0.takeRetry() } ?? false
    }

    /// Makes the decisions that are due because time has passed.
    mutating func settle(at now: Instant) {
        decide(at: now)
        preempt(at: now)
    }

    /// Grants permits to requests that may begin now, and refuses requests whose time is over.
    private mutating func decide(at now: Instant) {
        while let origin = waiting.takePauseEnd(by: now) { review(origin, at: now) }
        while let first = waiting.first, lastStart(before: first.urgency.deadline) <= now {
            refuseFirst(of: first.origin, .late)
        }
        while inFlight < rule.globalLimit, let origin = nextOrigin(at: now), let record = records[origin],
            let request = waiting.removeFirst(of: origin)
        {
            guard let permit = begin(origin, record, until: lastStart(before: request.urgency.deadline), at: now) else {
                // A test of its site, or of the origin, began meanwhile.
                waiting.add(request.urgency, to: origin)
                review(origin, at: now)
                if waiting.isOpen(origin) { break }
                continue
            }
            settle(request, .success(permit))
            review(origin, at: now)
        }
    }

    /// Returns the origin whose first request may begin next.
    private mutating func nextOrigin(at now: Instant) -> Origin? {
        let table = self
        let allowsUnknown = unknownInFlight < unknownLimit(at: now)
        return waiting.next(share: fairShare) { site, load, isKnown in
            (isKnown || allowsUnknown) && load < table.siteLimit(site, at: now)
        }
    }

    /// Returns the time until which a request may begin.
    private func lastStart(before deadline: Instant) -> Instant { min(deadline, ending?.lastStart ?? deadline) }

    /// Refuses the requests to `origin` that wait in vain, and notes what holds back the others.
    private mutating func review(_ origin: Origin, at now: Instant) {
        guard let record = records[origin], record.waiting > 0, let site = sites[origin.site] else { return }
        if let refusal = site.breaker.refusal(at: now) { return refuse(origin, .failing(until: refusal.until)) }
        let hold = record.hold(at: now)
        while let hold, let first = waiting.first(of: origin),
            let refusal = refusal(of: record, hold, first.deadline, now)
        {
            refuseFirst(of: origin, refusal)
        }
        let state: WaitingRequests.Hold =
            if let hold { .paused(until: hold.end ?? hold.patience) } else {
                record.hasRoom ? .open : .full
            }
        waiting.set(state, of: origin, load: site.inFlight, isKnown: site.isKnown)
    }

    /// Refuses all requests to the origins of a site that is refused.
    private mutating func reviewSite(_ site: Site, at now: Instant) {
        guard sites[site]?.breaker.refusal(at: now) != nil else { return }
        for origin in waiting.origins(of: site) { review(origin, at: now) }
    }

    /// Returns the reason why a request cannot wait for the end of a pause or a test, or `nil` if it can.
    private func refusal(
        of record: OriginRecord,
        _ hold: OriginRecord.Hold,
        _ deadline: Instant,
        _ now: Instant,
    ) -> OriginLimitError? {
        // A caller with a queue of its own tries again by itself.
        if rule.longestQueue != nil, !hold.isAsked { return .failing(until: hold.end) }
        let latest = rule.longestQueue.map { min(deadline, now + $0) } ?? deadline
        if now < hold.patience ?? latest, (hold.end ?? now) + record.typicalTime < latest { return nil }
        return hold.isAsked ? .askedToWait(until: record.pausedUntil ?? now) : .failing(until: hold.end)
    }

    /// Refuses all requests that wait for `origin`.
    private mutating func refuse(_ origin: Origin, _ error: OriginLimitError) {
        while waiting.first(of: origin) != nil { refuseFirst(of: origin, error) }
    }

    private mutating func refuseFirst(of origin: Origin, _ error: OriginLimitError) {
        if let request = waiting.removeFirst(of: origin) { settle(request, .failure(error)) }
    }

    /// Notes the decision about a request that waited.
    private mutating func settle(_ request: WaitingRequests.Request, _ decision: Decision) {
        records.update(request.origin) { $0.waiting -= 1 }
        update(request.origin.site) { $0.waiting -= 1 }
        settled.append((request.urgency.number, decision))
    }

    /// Returns the time at which `settle` has something to decide, if no other call comes first.
    func nextDue(after now: Instant) -> Instant? {
        let last = waiting.isEmpty ? nil : ending?.lastStart
        return [waiting.nextPauseEnd, waiting.first?.urgency.deadline, last, nextJudgement(after: now)]
            .compactMap(\.self).min()
    }

    mutating func takeSettled() -> [(number: UInt64, decision: Decision)] {
        defer { settled = [] }
        return settled
    }

    /// Returns the permits whose requests must end early, each once.
    mutating func takePreempted() -> [(number: UInt64, cause: Preemption)] {
        defer { preempted = [] }
        return preempted
    }

    /// Returns the decision about a new request, or `nil` if it has to wait.
    private mutating func decision(for origin: Origin, until deadline: Instant, at now: Instant) -> Decision? {
        guard let record = records[origin] else { return .failure(.late) }
        if let refusal = sites[origin.site]?.breaker.refusal(at: now) {
            return .failure(.failing(until: refusal.until))
        }
        if let hold = record.hold(at: now) { return refusal(of: record, hold, deadline, now).map { .failure($0) } }
        guard now < deadline else { return .failure(.late) }
        return begin(origin, record, until: deadline, at: now).map { .success($0) }
    }

    /// Returns a permit for a request that begins now, or `nil` if a limit is reached.
    private mutating func begin(
        _ origin: Origin,
        _ record: OriginRecord,
        until deadline: Instant,
        at now: Instant,
    ) -> Permit? {
        guard bound(of: origin, at: now) == nil, refusal(of: origin, at: now) == nil,
            let pass = try? records.update(
                origin,
                { record throws(CircuitBreaker.OpenError) in try record.breaker.pass(at: now) }
            ),
            let sitePass = try? sites[origin.site]?.breaker.pass(at: now)
        else { return nil }
        lastPermit += 1
        records.update(origin) { $0.began(at: now, rule) }
        let (isKnown, grace) = (sites[origin.site]?.isKnown ?? false, record.grace(rule))
        let request = RunningRequest(origin, isKnown: isKnown, start: now, grace: grace, deadline: deadline)
        running[lastPermit] = request
        count(request, 1, at: now)
        reviewSite(origin.site, at: now)
        if let ending { running[lastPermit]?.awaitFirstByte(until: ending.end) }
        return Permit(origin: origin, start: now, number: lastPermit, pass: pass, sitePass: sitePass)
    }

    private func refusal(of origin: Origin, at now: Instant) -> CircuitBreaker.OpenError? {
        guard let record = records[origin] else { return nil }
        return record.breaker.refusal(at: now) ?? sites[origin.site]?.breaker.refusal(at: now)
    }

    private func crowding(_ origin: Origin, at now: Instant) -> Decision? {
        guard let record = records[origin] else { return nil }
        // An origin for which nobody waits is not kept out by others of its site.
        if record.waiting > 0, sites[origin.site]?.waiting ?? 0 >= rule.lineLimit {
            return .failure(.crowded(until: now + .seconds(1)))
        }
        guard record.hold(at: now) == nil, record.inFlight >= record.limit,
            let pause = record.crowding(rule)
        else { return nil }
        return .failure(.crowded(until: now + pause))
    }

    /// Returns the number of permits that the site may have. A quarter is kept for other sites, unless there have been
    /// none for a while.
    func siteLimit(_ site: Site, at now: Instant) -> Int {
        let other = latest.flatMap { $0.site == site ? latestOther : $0.instant }
        let isAlone = other.map { now - $0 > rule.lonelyTime } ?? true
        return isAlone ? rule.globalLimit : rule.globalLimit - rule.globalLimit / 4
    }

    /// Returns the number of permits that unknown sites may have together.
    func unknownLimit(at now: Instant) -> Int {
        latestKnown.map { now - $0 <= rule.lonelyTime } ?? false ? rule.unknownLimit : rule.globalLimit
    }

    /// Changes a site's record, and updates the number of sites with requests.
    mutating func update(_ site: Site, _ change: (inout SiteRecord) -> Void) {
        guard var record = sites[site] else { return }
        let wasActive = record.isActive
        change(&record)
        sites[site] = record
        if record.waiting > 0 { waiting.setLoad(record.inFlight, isKnown: record.isKnown, of: site) }
        activeSites += (record.isActive ? 1 : 0) - (wasActive ? 1 : 0)
    }

    private mutating func use(_ origin: Origin, at now: Instant) {
        let site = origin.site
        if records.use(origin) == nil {
            if records.count >= rule.tableLimit { forgetSome() }
            records.insert(OriginRecord(rule), for: origin)
            sites[site, default: SiteRecord(breaker: CircuitBreaker(rule.siteBreaker))].originCount += 1
        }
        if let latest, latest.site != site { latestOther = latest.instant }
        latest = (site, now)
        if sites[site]?.isKnown == true { latestKnown = now }
    }

    /// Removes a tenth of the origins: the least recently used ones that are not in use.
    private mutating func forgetSome() {
        let suspended = Set(running.values.lazy.filter(\.isSuspended).map(\.origin))
        let idle = records.oldestFirst.lazy.filter { origin, record in
            record.inFlight == 0 && record.waiting == 0 && !suspended.contains(origin)
        }
        for (origin, _) in Array(idle.prefix(max(1, rule.tableLimit / 10))) {
            records.remove(origin)
            sites[origin.site]?.originCount -= 1
            if sites[origin.site]?.originCount == 0 { sites[origin.site] = nil }
        }
    }
}
