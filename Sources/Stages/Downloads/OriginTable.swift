import Media
import Timing

/// Who may ask which origin when: the gate's rules, without a clock or a task.
///
/// A request asks for a permit, and gets it at once, or waits for it, or is refused. Permits are given to whoever has
/// least time, first among the sites that have less than their fair share of them. What has become of those that waited
/// is taken with `takeSettled()` after every call, and who is to give way to them with `takeGivingWay()`.
struct OriginTable {
    /// A request that may be made now.
    struct Place: Equatable {
        let origin: Origin
        let start: Instant
        /// Tells it from all others.
        let number: UInt64
        fileprivate let pass: CircuitBreaker.Pass
        fileprivate let sitePass: CircuitBreaker.Pass
    }

    typealias Decision = Result<Place, OriginRefusal>

    struct Waiter {
        var number: UInt64
        var origin: Origin
        var site: Site
        var deadline: Instant
    }

    let rule: OriginRule
    private(set) var inFlight = 0
    private(set) var records: [Origin: OriginRecord] = [:]
    private(set) var sites: [Site: SiteRecord] = [:]
    /// The number of sites that have requests under way or waiting.
    private(set) var activeSites = 0
    /// The number of requests that were told to give way, and have not ended yet.
    var endingCount = 0
    var running: [UInt64: RunningRequest] = [:]
    /// Who has least time comes first.
    private(set) var waiters: [Waiter] = []
    /// The number of requests that wait elsewhere, before it is known where they go to.
    private(set) var demand = 0
    private var settled: [(number: UInt64, decision: Decision)] = []
    var givingWay: [(number: UInt64, cause: GivingWay)] = []
    private var useCount: UInt64 = 0
    private var lastPlace: UInt64 = 0
    /// The site that asked last, and when; and when any other one did.
    private var latest: (site: Site, instant: Instant)?
    private var latestOther: Instant?

    init(_ rule: OriginRule) { self.rule = rule }

    var originCount: Int { records.count }
    var waiterCount: Int { waiters.count }
    var refusingCount: Int { records.values.count { !$0.breaker.isClosed || isSlow($0.site) } }
    subscript(origin: Origin) -> OriginRecord? { records[origin] }

    private func isSlow(_ site: Site) -> Bool { sites[site]?.breaker.isClosed == false }

    /// Asks for a permit for the request `number`. Whether it has one is among what is settled, now or later.
    mutating func ask(_ number: UInt64, _ origin: Origin, until deadline: Instant, at now: Instant) {
        decide(at: now)
        let site = use(origin, at: now)
        if let decision = decision(for: origin, until: deadline, at: now) ?? crowding(origin, at: now) {
            settled.append((number, decision))
            return
        }
        let index = waiters.firstIndex { deadline < $0.deadline } ?? waiters.endIndex
        waiters.insert(Waiter(number: number, origin: origin, site: site, deadline: deadline), at: index)
        records[origin]?.waiting += 1
        update(site) { $0.waiting += 1 }
        makeWay(at: now)
    }

    /// Says how many requests wait elsewhere.
    mutating func setDemand(_ count: Int, at now: Instant) {
        demand = count
        makeWay(at: now)
    }

    /// The request in `place` was answered with what it asked for, of which the rest may take long.
    mutating func answered(_ place: Place, at now: Instant) {
        let limit = records[place.origin]?.limit
        records[place.origin]?.answered(since: place.start, rule)
        if records[place.origin]?.limit != limit, records[place.origin]?.waiting != 0 { settle(at: now) }
    }

    /// Records that `received` bytes of an answer's body have come, of `expected` if its size is known.
    mutating func progressed(_ place: Place, _ received: Int, of expected: Int?, at now: Instant) {
        running[place.number]?.progressed(received, of: expected, at: now)
    }

    /// Gives a permit back. `jitter` is from 0 to 1. Says whether the origin is refused from now on.
    mutating func leave(_ place: Place, _ outcome: OriginOutcome, at now: Instant, jitter: Double) -> Bool {
        guard let request = running.removeValue(forKey: place.number) else { return false }
        let isOthersTurn = inFlight >= rule.globalLimit || sites[request.site]?.waiting != 0
        inFlight -= 1
        var outcome = outcome
        if outcome.gaveWay, request.isHopeless { (outcome.health, outcome.isOverloaded) = (.failure, true) }
        let wasRefused = refusal(of: place.origin, at: now) != nil
        records[place.origin]?.ended(outcome, since: place.start, at: now, rule)
        records[place.origin]?.breaker.finish(place.pass, outcome.health, at: now, jitter: jitter)
        update(request.site) { $0.ended(request, place.sitePass, outcome, at: now, jitter: jitter) }
        if request.givesWay != nil { endingCount -= 1 }
        let isRefused = refusal(of: place.origin, at: now) != nil
        if isOthersTurn { settle(at: now) }
        return isRefused && !wasRefused
    }

    /// Takes back what `number` asked for, if it still waits.
    mutating func cancel(_ number: UInt64) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        stopsWaiting(waiters.remove(at: index))
        settled.append((number, .failure(.cancelled)))
    }

    /// Whether a request to the origin that failed may be made once more, which is taken note of.
    mutating func mayRetry(_ origin: Origin, until deadline: Instant, at now: Instant) -> Bool {
        guard let record = records[origin], refusal(of: origin, at: now) == nil else { return false }
        let start = max(now, record.pausedUntil ?? now)
        guard start + record.typicalTime * 2 < deadline else { return false }
        return records[origin]?.takeRetry() ?? false
    }

    /// Decides what time has decided.
    mutating func settle(at now: Instant) {
        decide(at: now)
        makeWay(at: now)
    }

    /// Gives permits to those that may begin now, and refuses those that can't begin any more.
    private mutating func decide(at now: Instant) {
        let share = fairShare
        // First those whose sites have less than their share, then the others.
        for isAnyone in [false, true] where !waiters.isEmpty {
            var left: [Waiter] = []
            for waiter in waiters {
                let isNext = isAnyone || sites[waiter.site]?.inFlight ?? 0 < share
                if isNext, let decision = decision(for: waiter.origin, until: waiter.deadline, at: now) {
                    stopsWaiting(waiter)
                    settled.append((waiter.number, decision))
                } else {
                    left.append(waiter)
                }
            }
            waiters = left
        }
    }

    /// When `settle` has something to decide without anything else happening.
    func nextDue(after now: Instant) -> Instant? {
        let pauses = waiters.compactMap { records[$0.origin]?.pausedUntil }.filter { $0 > now }
        return (pauses + [waiters.first?.deadline, nextJudgement(after: now)].compactMap(\.self)).min()
    }

    mutating func takeSettled() -> [(number: UInt64, decision: Decision)] {
        defer { settled = [] }
        return settled
    }

    /// The permits whose requests are to end early, each once.
    mutating func takeGivingWay() -> [(number: UInt64, cause: GivingWay)] {
        defer { givingWay = [] }
        return givingWay
    }

    /// `nil`: it has to wait.
    private mutating func decision(for origin: Origin, until deadline: Instant, at now: Instant) -> Decision? {
        guard let record = records[origin] else { return .failure(.late) }
        if let refusal = refusal(of: origin, at: now) { return .failure(.failing(until: refusal.until)) }
        guard now < deadline else { return .failure(.late) }
        if let end = record.pausedUntil, now < end {
            let latest = rule.longestQueue.map { min(deadline, now + $0) } ?? deadline
            return end + record.typicalTime < latest ? nil : .failure(.askedToWait(until: end))
        }
        guard bound(of: origin, record.site, at: now) == nil,
            let pass = try? records[origin]?.breaker.pass(at: now),
            let sitePass = try? sites[record.site]?.breaker.pass(at: now)
        else { return nil }
        inFlight += 1
        lastPlace += 1
        records[origin]?.began(rule)
        update(record.site) { $0.inFlight += 1 }
        let grace = record.grace(rule)
        running[lastPlace] = RunningRequest(origin, record.site, start: now, grace: grace, deadline: deadline)
        return .success(Place(origin: origin, start: now, number: lastPlace, pass: pass, sitePass: sitePass))
    }

    private func refusal(of origin: Origin, at now: Instant) -> CircuitBreaker.Refusal? {
        guard let record = records[origin] else { return nil }
        return record.breaker.refusal(at: now) ?? sites[record.site]?.breaker.refusal(at: now)
    }

    private func crowding(_ origin: Origin, at now: Instant) -> Decision? {
        guard let record = records[origin], !record.isPaused(at: now), record.inFlight >= record.limit,
            let pause = record.crowding(rule)
        else { return nil }
        return .failure(.crowded(until: now + pause))
    }

    /// A quarter of all permits is kept for other sites, unless there have been none for a while.
    func siteLimit(_ site: Site, at now: Instant) -> Int {
        let other = latest.flatMap { $0.site == site ? latestOther : $0.instant }
        let isAlone = other.map { now - $0 > rule.lonelyTime } ?? true
        return isAlone ? rule.globalLimit : rule.globalLimit - rule.globalLimit / 4
    }

    private mutating func stopsWaiting(_ waiter: Waiter) {
        records[waiter.origin]?.waiting -= 1
        update(waiter.site) { $0.waiting -= 1 }
    }

    /// Changes a site's record, and counts the site among those that have requests.
    mutating func update(_ site: Site, _ change: (inout SiteRecord) -> Void) {
        guard var record = sites[site] else { return }
        let wasActive = record.isActive
        change(&record)
        sites[site] = record
        activeSites += (record.isActive ? 1 : 0) - (wasActive ? 1 : 0)
    }

    private mutating func use(_ origin: Origin, at now: Instant) -> Site {
        useCount += 1
        if records[origin] == nil {
            if records.count >= rule.tableLimit { forgetSome() }
            let site = Site(origin)
            records[origin] = OriginRecord(site, rule)
            sites[site, default: SiteRecord(breaker: CircuitBreaker(rule.breaker))].originCount += 1
        }
        records[origin]?.lastUse = useCount
        let site = records[origin]?.site ?? Site(origin)
        if let latest, latest.site != site { latestOther = latest.instant }
        latest = (site, now)
        return site
    }

    /// Forgets a tenth: those that were used least recently, and aren't in use.
    private mutating func forgetSome() {
        let idle = records.filter { $0.value.inFlight == 0 && $0.value.waiting == 0 }
        let oldest = idle.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, rule.tableLimit / 10))
        for (origin, record) in oldest {
            records[origin] = nil
            sites[record.site]?.originCount -= 1
            if sites[record.site]?.originCount == 0 { sites[record.site] = nil }
        }
    }
}
