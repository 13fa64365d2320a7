import Base

/// The resolver's rules, without a clock, a socket or a task.
///
/// A caller asks for a name, and gets a kept answer at once, or waits for the query of the name. All callers of one name
/// share its query. Queries are started for the sites with the fewest in flight, and there for the name with the least
/// time. After every call, `takeSettled()` returns the callers with an answer, and `takeStarts()` and `takeStops()` the
/// queries to start and to stop.
///
/// A name that is known stays usable while servers are silent (SECURITY N20): its site has a share of the queries, a late
/// query ends when others wait for its turn, and the last answer stands in for a late one (RFC 8767). No caller's tenant
/// is known here, so the shares are those of sites.
struct NameTable {
    typealias Answer = Result<[IPAddress], ResolverError>

    /// A name that has callers, or a query.
    private struct Record {
        let site: String
        /// The time of the first caller.
        let start: Instant
        var callers: [UInt64: Caller] = [:]
        /// The number of the query, or `nil` while the name waits for a turn.
        var query: UInt64?
        /// The soonest end of the callers' waits, which decides the order in which names get a turn.
        var urgency: Instant
    }

    private struct Caller {
        /// The deadline, or the time at which the last answer stands in for a new one.
        let end: Instant
        /// The last answer, if the caller may use it.
        let last: Answer?
    }

    private struct Query {
        let host: String
        let site: String
        let isKnown: Bool
        let start: Instant
        var isStopped = false
    }

    /// The place of a site among those that wait for turns.
    private struct Turn: Comparable {
        let inFlight: Int
        let urgency: Instant

        static func < (left: Turn, right: Turn) -> Bool {
            (left.inFlight, left.urgency) < (right.inFlight, right.urgency)
        }
    }

    private struct SiteRecord {
        var inFlight = 0
        /// The names that wait for a turn, the most urgent one first.
        var waiting: [String] = []
    }

    private struct KeptAnswer {
        let answer: Answer
        let end: Instant
    }

    /// The end of a caller's wait, in the order in which they pass.
    private struct Due: Comparable {
        let deadline: Instant
        let caller: UInt64

        static func < (left: Due, right: Due) -> Bool {
            (left.deadline, left.caller) < (right.deadline, right.caller)
        }
    }

    let rule: ResolverRule
    private var records: [String: Record] = [:]
    /// The names of all callers.
    private var hosts: [UInt64: String] = [:]
    /// The ends of all callers' waits, sorted.
    private var dues: [Due] = []
    private var queries: [UInt64: Query] = [:]
    /// The sites that have queries in flight or names that wait.
    private var sites: [String: SiteRecord] = [:]
    /// The sites with a name that may have the next free turn: the known ones, and the strangers.
    private var knownLine = IndexedHeap<String, Turn>()
    private var strangeLine = IndexedHeap<String, Turn>()
    /// The sites of which a name had addresses.
    private var knownSites: BoundedTable<String, Void>
    /// The sites whose last query timed out.
    private var slowSites: BoundedTable<String, Void>
    /// The addresses of names. Failures are kept elsewhere, so that no number of them evicts addresses.
    private var kept: BoundedTable<String, KeptAnswer>
    private var failures: BoundedTable<String, KeptAnswer>
    /// The time at which a query will be late, if a name waits for its turn.
    private var nextYield: Instant?
    private(set) var waitingCount = 0
    private var lastQuery: UInt64 = 0
    private var settled: [(caller: UInt64, answer: Answer)] = []
    private var starts: [(query: UInt64, host: String)] = []
    private var stops: [UInt64] = []

    init(_ rule: ResolverRule) {
        self.rule = rule
        knownSites = BoundedTable(entryLimit: rule.siteCount)
        slowSites = BoundedTable(entryLimit: rule.siteCount)
        kept = BoundedTable(entryLimit: rule.cacheLimit)
        failures = BoundedTable(entryLimit: rule.cacheLimit)
    }

    var inFlight: Int { queries.count }
    var keptCount: Int { kept.count + failures.count }

    private var strangersInFlight: Int { queries.values.count { !$0.isKnown } }
    /// The number of queries that the sites without a known name may have together.
    private var strangerLimit: Int {
        knownSites.count == 0 ? rule.queryLimit : rule.queryLimit - rule.queryLimit / rule.knownPart
    }

    private func isKnown(_ site: String) -> Bool { knownSites[site] != nil && slowSites[site] == nil }

    // MARK: - Callers

    /// Asks for the addresses of `host`. The answer is among the settled ones, now or later. If `mayUseLast`, it may be the
    /// last answer when the new one is late.
    mutating func ask(
        _ caller: UInt64,
        _ host: String,
        for site: String,
        until deadline: Instant,
        mayUseLast: Bool = false,
        at now: Instant,
    ) {
        _ = knownSites.use(site)
        let known = kept[host]
        if let known, now < known.end {
            settled.append((caller, known.answer))
            return
        }
        let late = (records[host]?.start ?? now) + rule.lateTime
        let isUsable = mayUseLast && known.map { max(now, late) < $0.end + rule.lastAnswerLife } == true
        let last = isUsable ? known?.answer : nil
        if let failure = failures[host], now < failure.end {
            settled.append((caller, last ?? failure.answer))
            return
        }
        let end = last == nil ? deadline : min(deadline, late)
        guard now < end else {
            settled.append((caller, last ?? .failure(.timedOut)))
            return
        }
        hosts[caller] = host
        let due = Due(deadline: end, caller: caller)
        dues.insert(due, at: dues.partition(before: due))
        if records[host] != nil {
            add(caller, Caller(end: end, last: last), to: host)
        } else {
            let callers = [caller: Caller(end: end, last: last)]
            records[host] = Record(site: site, start: now, callers: callers, urgency: end)
            enqueue(host)
            startQueries(at: now)
            if waitingCount > rule.waiterLimit { refuseOne() }
        }
    }

    /// Records that a caller was cancelled.
    mutating func cancel(_ caller: UInt64) { leave(caller, .cancelled) }

    /// Ends the waits of callers and the turns of queries whose time is over at `now`.
    mutating func settle(at now: Instant) {
        while let due = dues.first, due.deadline <= now {
            let isWaiting = hosts[due.caller].flatMap { records[$0] }?.query == nil
            leave(due.caller, isWaiting ? .busy : .timedOut)
        }
        for (number, query) in queries where query.start + rule.longestQuery <= now { stop(number) }
        makeRoom(at: now)
    }

    /// Returns the next instant at which `settle` has something to do.
    var nextDue: Instant? {
        let start = queries.values.lazy.filter { !$0.isStopped }.map(\.start).min()
        return [start.map { $0 + rule.longestQuery }, dues.first?.deadline, nextYield].compactMap(\.self).min()
    }

    /// Cancels all callers and forgets all queries.
    mutating func stop() {
        for caller in hosts.keys { settled.append((caller, .failure(.cancelled))) }
        (records, hosts, dues, queries, sites, waitingCount, starts, stops) = ([:], [:], [], [:], [:], 0, [], [])
        (knownLine, strangeLine, nextYield) = (IndexedHeap(), IndexedHeap(), nil)
    }

    // MARK: - Queries

    /// Records the outcome of a query. Its turn is free.
    mutating func ended(_ number: UInt64, _ outcome: QueryOutcome, at now: Instant) {
        guard let query = queries.removeValue(forKey: number) else { return }
        // A query that ended because its callers left tells nothing by that.
        let isWanted = records[query.host]?.query == number
        let isTold = isWanted || outcome != .timedOut
        let answer = outcome.answer(rule)
        if isTold { keep(answer, outcome, of: query, at: now) }
        if isWanted, let record = records.removeValue(forKey: query.host) {
            for (number, caller) in record.callers {
                settle(number, caller.end, outcome.isDefinite ? answer : caller.last ?? answer)
            }
        }
        if outcome != .timedOut {
            slowSites.remove(query.site)
        } else if isTold || now >= query.start + rule.lateTime {
            slowSites.insert((), for: query.site)
        }
        changeSite(query.site) { $0.inFlight -= 1 }
        startQueries(at: now)
    }

    /// Keeps the answer for its time. Addresses are kept longer, for when a later answer is late; only a definite one
    /// ends that.
    private mutating func keep(_ answer: Answer, _ outcome: QueryOutcome, of query: Query, at now: Instant) {
        guard let life = outcome.life(rule) else { return }
        let isFound = if case .found = outcome { true } else { false }
        if isFound { knownSites.insert((), for: query.site) }
        if outcome.isDefinite {
            kept.remove(query.host)
            failures.remove(query.host)
        }
        kept.removeOldest { now >= $1.end + rule.lastAnswerLife }
        failures.removeOldest { now >= $1.end }
        let entry = KeptAnswer(answer: answer, end: now + life)
        if isFound { kept.insert(entry, for: query.host) } else { failures.insert(entry, for: query.host) }
    }

    mutating func takeSettled() -> [(caller: UInt64, answer: Answer)] {
        defer { settled = [] }
        return settled
    }

    mutating func takeStarts() -> [(query: UInt64, host: String)] {
        defer { starts = [] }
        return starts
    }

    mutating func takeStops() -> [UInt64] {
        defer { stops = [] }
        return stops
    }

    /// Gives free turns to the names that wait: first to the sites with the fewest queries in flight, among them to the
    /// most urgent name.
    private mutating func startQueries(at now: Instant) {
        while let site = nextSite, let host = sites[site]?.waiting.first {
            lastQuery += 1
            queries[lastQuery] = Query(host: host, site: site, isKnown: isKnown(site), start: now)
            records[host]?.query = lastQuery
            waitingCount -= 1
            changeSite(site) { record in
                record.waiting.removeFirst()
                record.inFlight += 1
            }
            starts.append((lastQuery, host))
        }
        makeRoom(at: now)
    }

    /// The site that has the next turn, if there is a free one that it may have.
    private var nextSite: String? {
        guard queries.count < rule.queryLimit else { return nil }
        let stranger = strangersInFlight < strangerLimit ? strangeLine.first : nil
        return [knownLine.first, stranger].compactMap(\.self).min { $0.key < $1.key }?.element
    }

    /// Stops one late query, if names wait for a turn: first one without callers, then the oldest one of a stranger. The
    /// end of that query makes room, and looks for the next.
    private mutating func makeRoom(at now: Instant) {
        nextYield = nil
        guard !knownLine.isEmpty || !strangeLine.isEmpty, !queries.values.contains(where: \.isStopped) else { return }
        // Names of strangers do not take turns from known ones when strangers have their share.
        let isAmongStrangers = knownLine.isEmpty && strangersInFlight >= strangerLimit
        let order = queries.filter { !isAmongStrangers || !$1.isKnown }.map { number, query in
            let rank = records[query.host]?.callers.isEmpty == true ? 0 : query.isKnown ? 2 : 1
            return (number: number, rank: rank, late: query.start + rule.lateTime)
        }
        let late = order.filter { $0.late <= now }
        if let first = late.min(by: { ($0.rank, $0.late, $0.number) < ($1.rank, $1.late, $1.number) }) {
            stop(first.number)
        } else {
            nextYield = order.map(\.late).min()
        }
    }

    private mutating func stop(_ number: UInt64) {
        guard queries[number]?.isStopped == false else { return }
        queries[number]?.isStopped = true
        stops.append(number)
    }

    // MARK: - Names that wait

    private mutating func enqueue(_ host: String) {
        guard let record = records[host] else { return }
        waitingCount += 1
        changeSite(record.site) { [records] site in
            let index = site.waiting.partition { name in
                records[name].map { $0.urgency <= record.urgency } ?? false
            }
            site.waiting.insert(host, at: index)
        }
    }

    private mutating func dequeue(_ host: String) {
        guard let site = records[host]?.site else { return }
        changeSite(site) { record in
            guard let index = record.waiting.firstIndex(of: host) else { return }
            record.waiting.remove(at: index)
        }
        waitingCount -= 1
    }

    /// Refuses the least urgent name of the site with the most names that wait, so that one site cannot fill the queue.
    private mutating func refuseOne() {
        guard let crowd = sites.values.max(by: { $0.waiting.count < $1.waiting.count }), let host = crowd.waiting.last,
            let callers = records[host]?.callers.keys
        else { return }
        for caller in Array(callers) { leave(caller, .busy) }
    }

    private mutating func add(_ number: UInt64, _ caller: Caller, to host: String) {
        records[host]?.callers[number] = caller
        guard let record = records[host], caller.end < record.urgency else { return }
        setUrgency(caller.end, of: host)
    }

    /// Removes a caller from its name. A name without callers no longer waits, and its query ends, unless the callers have
    /// got the last answer: then a new one is still wanted for the next.
    private mutating func leave(_ number: UInt64, _ error: ResolverError) {
        guard let host = hosts[number], let caller = records[host]?.callers.removeValue(forKey: number) else { return }
        let last = error == .cancelled ? nil : caller.last
        settle(number, caller.end, last ?? .failure(error))
        guard let record = records[host] else { return }
        if let urgency = record.callers.values.map(\.end).min() {
            if record.query == nil, urgency != record.urgency { setUrgency(urgency, of: host) }
        } else if let query = record.query {
            guard last == nil else { return }
            records[host] = nil
            stop(query)
        } else {
            dequeue(host)
            records[host] = nil
        }
    }

    private mutating func setUrgency(_ urgency: Instant, of host: String) {
        let isWaiting = records[host]?.query == nil
        if isWaiting { dequeue(host) }
        records[host]?.urgency = urgency
        if isWaiting { enqueue(host) }
    }

    private mutating func settle(_ caller: UInt64, _ deadline: Instant, _ answer: Answer) {
        hosts[caller] = nil
        let due = Due(deadline: deadline, caller: caller)
        let index = dues.partition(before: due)
        if index < dues.count, dues[index] == due { dues.remove(at: index) }
        settled.append((caller, answer))
    }

    private mutating func changeSite(_ site: String, _ change: (inout SiteRecord) -> Void) {
        change(&sites[site, default: SiteRecord()])
        knownLine.remove(site)
        strangeLine.remove(site)
        guard let record = sites[site] else { return }
        if record.inFlight == 0, record.waiting.isEmpty { sites[site] = nil }
        guard let urgency = record.waiting.first.flatMap({ records[$0]?.urgency }),
            record.inFlight < (slowSites[site] == nil ? rule.siteLimit : rule.slowSiteLimit)
        else { return }
        let turn = Turn(inFlight: record.inFlight, urgency: urgency)
        if isKnown(site) { knownLine.set(site, to: turn) } else { strangeLine.set(site, to: turn) }
    }
}

extension Array {
    /// Returns the number of elements at the start that satisfy a condition, which no element after them satisfies.
    fileprivate func partition(where isBefore: (Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBefore(self[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension Array where Element: Comparable {
    fileprivate func partition(before element: Element) -> Int { partition { $0 < element } }
}
