import Base
import Media

/// The early end of slow requests in favour of requests that wait.
///
/// The least promising request gives way to a waiter that could then begin: one whose bytes come too slowly for its
/// deadline, or any of a site that has more than its fair share while the waiter's site has less.
extension OriginTable {
    /// The limit that keeps a request from beginning.
    enum Bound {
        /// All permits are in use.
        case all
        /// The request's site, or its origin, has as many requests as it may have.
        case site, origin
    }

    /// The most waiters that are examined at once. The others' turn comes with the next event.
    private static let waitersPerLook = 32
    /// The pause between two judgements of running requests.
    private static let judgementTime: Duration = .milliseconds(250)

    /// The equal share of all permits for each site that has requests.
    var fairShare: Int { max(1, rule.globalLimit / max(1, activeSites)) }

    func bound(of origin: Origin, at now: Instant) -> Bound? {
        guard let record = records[origin], let siteRecord = sites[origin.site] else { return nil }
        if !record.hasRoom { return .origin }
        if siteRecord.inFlight >= siteLimit(origin.site, at: now) { return .site }
        if !siteRecord.isKnown, unknownInFlight >= unknownLimit(at: now) { return .all }
        return inFlight >= rule.globalLimit ? .all : nil
    }

    /// Ends as many requests early as others wait, if any should give way.
    mutating func preempt(at now: Instant) {
        guard demand > 0 || !waiting.isAllPaused || ending != nil,
            running.values.contains(where: { $0.judgedFrom <= now && mayGiveWay($0) })
        else { return }
        let blocked = waiting.mostUrgent(Self.waitersPerLook)
        let deadlines = [blocked.first?.urgency.deadline, ending?.end].compactMap(\.self)
        var judged = judgedRequests(at: now, before: deadlines.min())
        guard !judged.isEmpty else { return }
        if ending != nil {
            for _ in judged { preempt(of: &judged, 0) { _, _ in .ending } }
            return
        }
        // Requests that are about to end already make way for as many.
        var ending = endingCount
        let share = fairShare
        for waiter in blocked {
            guard let bound = bound(of: waiter.origin, at: now) else { continue }
            if ending > 0, bound == .all {
                ending -= 1
                continue
            }
            let isPoor = sites[waiter.origin.site]?.inFlight ?? 0 < share
            preempt(of: &judged, share) { request, isRich in
                switch bound {
                case .origin: request.origin == waiter.origin ? .slow : nil
                case .site: request.origin.site == waiter.origin.site ? .slow : nil
                case .all where isPoor: isRich ? .share : .slow
                case .all: request.origin.site == waiter.origin.site ? .slow : nil
                }
            }
        }
        // The origins of requests that wait elsewhere are not known, so only slow requests make way for them.
        for _ in 0..<max(0, min(demand, Self.waitersPerLook) - ending) {
            preempt(of: &judged, share) { _, _ in .slow }
        }
    }

    /// Returns the time at which `preempt` may decide differently.
    func nextJudgement(after now: Instant) -> Instant? {
        guard demand > 0 || ending != nil || !waiting.isAllPaused else { return nil }
        let open = running.values.lazy.filter { mayGiveWay($0) }
        guard let first = open.map(\.judgedFrom).min() else { return nil }
        return max(first, now + Self.judgementTime)
    }

    /// Returns the requests that may be told to give way, the least promising first.
    private mutating func judgedRequests(at now: Instant, before waiting: Instant?) -> [Judged] {
        var judged: [Judged] = []
        for (number, request) in running where request.judgedFrom <= now && mayGiveWay(request) {
            if let promise = running[number]?.promise(at: now, before: waiting) { judged.append((number, promise)) }
        }
        return judged.sorted { ($0.promise.share, $0.number) < ($1.promise.share, $1.number) }
    }

    /// A suspended request holds no permit, so nothing is won by its end before the process itself ends.
    private func mayGiveWay(_ request: RunningRequest) -> Bool {
        request.preemption == nil && (ending != nil || !request.isSuspended)
    }

    private typealias Judged = (number: UInt64, promise: RunningRequest.Promise)

    /// Tells the first of the judged requests that may give way to do so. `cause` returns the reason: slowness, or its
    /// site's share, if that is more than fair.
    private mutating func preempt(
        of judged: inout [Judged],
        _ share: Int,
        for cause: (RunningRequest, _ isRich: Bool) -> Preemption?,
    ) {
        let index = judged.firstIndex { number, promise in
            guard let request = running[number], let cause = cause(request, isRich(request.origin.site, share)) else {
                return false
            }
            return cause == .share || promise.share < 1
        }
        guard let index else { return }
        let (number, promise) = judged.remove(at: index)
        guard let site = running[number]?.origin.site else { return }
        let why: Preemption = ending != nil ? .ending : promise.share < 1 ? .slow : .share
        running[number]?.preempt(why, isHopeless: promise.isHopeless)
        update(site) { $0.ending += 1 }
        endingCount += 1
        preempted.append((number, why))
    }

    private func isRich(_ site: Site, _ share: Int) -> Bool {
        sites[site].map { $0.inFlight - $0.ending > share } ?? false
    }
}

extension SiteRecord {
    /// Records the end of a request of this site.
    mutating func ended(
        _ request: RunningRequest,
        _ pass: CircuitBreaker.Pass,
        _ outcome: OriginOutcome,
        at now: Instant,
        jitter: Double,
    ) {
        if request.preemption != nil { ending -= 1 }
        if outcome.health == .success, !outcome.wasPreempted { isKnown = true }
        if request.isHopeless { isKnown = false }
        // A site answers only for requests that were too slow for others. Failures count against the origin.
        let health: CircuitBreaker.Outcome =
            if outcome.wasPreempted { request.isHopeless ? .failure : .unknown } else {
                outcome.health == .success ? .success : .unknown
            }
        breaker.finish(pass, health, at: now, jitter: jitter)
    }
}
