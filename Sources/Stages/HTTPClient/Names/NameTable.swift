import Base

/// The resolver's rules, without a clock, a socket or a task.
///
/// A caller asks for a name, and gets a kept answer at once, or waits for the query of the name. All callers of one name
/// share its query. Queries are started for the sites with the fewest in flight, and there for the name with the least
/// time. After every call, `takeSettled()` returns the callers with an answer, and `takeStarts()` and `takeStops()` the
/// queries to start and to stop.
struct NameTable {
    typealias Answer = Result<[IPAddress], ResolverError>

    /// A name that has callers, or a query.
    private struct Record {
        let site: String
        /// The deadlines of the callers, by their numbers.
        var callers: [UInt64: Instant] = [:]
        /// The number of the query, or `nil` while the name waits for a turn.
        var query: UInt64?
        /// The soonest deadline of the callers, which decides the order in which names get a turn.
        var urgency: Instant
    }

    private struct Query {
        let host: String
        let end: Instant
        var isStopped = false
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

    /// A caller's deadline, in the order in which deadlines pass.
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
    /// The deadlines of all callers, sorted.
    private var dues: [Due] = []
    private var queries: [UInt64: Query] = [:]
    /// The sites that have queries in flight or names that wait.
    private var sites: [String: SiteRecord] = [:]
    /// The sites whose last query timed out.
    private var slowSites: BoundedTable<String, Void>
    private var kept: BoundedTable<String, KeptAnswer>
    private(set) var waitingCount = 0
    private var lastQuery: UInt64 = 0
    private var settled: [(caller: UInt64, answer: Answer)] = []
    private var starts: [(query: UInt64, host: String)] = []
    private var stops: [UInt64] = []

    init(_ rule: ResolverRule) {
        self.rule = rule
        slowSites = BoundedTable(entryLimit: rule.slowSiteCount)
        kept = BoundedTable(entryLimit: rule.cacheLimit)
    }

    var inFlight: Int { queries.count }
    var keptCount: Int { kept.count }

    // MARK: - Callers

    /// Asks for the addresses of `host`. The answer is among the settled ones, now or later.
    mutating func ask(_ caller: UInt64, _ host: String, for site: String, until deadline: Instant, at now: Instant) {
        if let answer = kept[host], now < answer.end {
            settled.append((caller, answer.answer))
            return
        }
        guard now < deadline else {
            settled.append((caller, .failure(.timedOut)))
            return
        }
        hosts[caller] = host
        let due = Due(deadline: deadline, caller: caller)
        dues.insert(due, at: dues.partition(before: due))
        if records[host] != nil {
            add(caller, to: host, until: deadline)
        } else {
            records[host] = Record(site: site, callers: [caller: deadline], urgency: deadline)
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
        for (number, query) in queries where query.end <= now && !query.isStopped {
            queries[number]?.isStopped = true
            stops.append(number)
        }
    }

    /// Returns the next instant at which `settle` has something to do.
    var nextDue: Instant? {
        let end = queries.values.lazy.filter { !$0.isStopped }.map(\.end).min()
        guard let deadline = dues.first?.deadline else { return end }
        return end.map { min($0, deadline) } ?? deadline
    }

    /// Cancels all callers and forgets all queries.
    mutating func stop() {
        for caller in hosts.keys { settled.append((caller, .failure(.cancelled))) }
        (records, hosts, dues, queries, sites, waitingCount, starts, stops) = ([:], [:], [], [:], [:], 0, [], [])
    }

    // MARK: - Queries

    /// Records the outcome of a query. Its turn is free.
    mutating func ended(_ number: UInt64, _ outcome: QueryOutcome, at now: Instant) {
        guard let query = queries.removeValue(forKey: number) else { return }
        let answer = outcome.answer(rule)
        if let life = outcome.life(rule) {
            kept.removeOldest { now >= $1.end }
            kept.insert(KeptAnswer(answer: answer, end: now + life), for: query.host)
        }
        if let record = records.removeValue(forKey: query.host) {
            for (caller, deadline) in record.callers { settle(caller, deadline, answer) }
            changeSite(record.site) { $0.inFlight -= 1 }
            if outcome == .timedOut {
                slowSites.insert((), for: record.site)
            } else {
                slowSites.remove(record.site)
            }
        }
        startQueries(at: now)
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
        while queries.count < rule.queryLimit, waitingCount > 0, let (site, host) = nextTurn() {
            lastQuery += 1
            queries[lastQuery] = Query(host: host, end: now + rule.longestQuery)
            records[host]?.query = lastQuery
            waitingCount -= 1
            changeSite(site) { record in
                record.waiting.removeFirst()
                record.inFlight += 1
            }
            starts.append((lastQuery, host))
        }
    }

    private func nextTurn() -> (site: String, host: String)? {
        var best: (site: String, host: String, inFlight: Int, urgency: Instant)?
        for (site, record) in sites {
            guard let host = record.waiting.first, let urgency = records[host]?.urgency,
                record.inFlight < (slowSites[site] == nil ? rule.siteLimit : rule.slowSiteLimit)
            else { continue }
            if let best, (best.inFlight, best.urgency) <= (record.inFlight, urgency) { continue }
            best = (site, host, record.inFlight, urgency)
        }
        return best.map { ($0.site, $0.host) }
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

    private mutating func add(_ caller: UInt64, to host: String, until deadline: Instant) {
        records[host]?.callers[caller] = deadline
        guard let record = records[host], deadline < record.urgency else { return }
        setUrgency(deadline, of: host)
    }

    /// Removes a caller from its name. A name without callers no longer waits, but a query that has begun continues: its
    /// answer is kept for later callers, for whom a new query may be too slow, too.
    private mutating func leave(_ caller: UInt64, _ error: ResolverError) {
        guard let host = hosts[caller], let deadline = records[host]?.callers.removeValue(forKey: caller) else {
            return
        }
        settle(caller, deadline, .failure(error))
        guard let record = records[host], record.query == nil else { return }
        if let urgency = record.callers.values.min() {
            if urgency != record.urgency { setUrgency(urgency, of: host) }
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
        if let record = sites[site], record.inFlight == 0, record.waiting.isEmpty { sites[site] = nil }
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

/// The outcome of a query.
enum QueryOutcome: Equatable, Sendable {
    /// The addresses, best first, and the shortest time to live of the records that led to them.
    case found([IPAddress], life: Duration)
    case notFound
    case timedOut
    /// All servers failed, or no server is configured.
    case failed
    /// This process could not ask: it has no memory or no descriptors. That says nothing about the name.
    case unable

    fileprivate func answer(_ rule: ResolverRule) -> NameTable.Answer {
        switch self {
        case .found(let addresses, _): .success(Array(addresses.prefix(rule.addressLimit)))
        case .notFound: .failure(.notFound)
        case .timedOut: .failure(.timedOut)
        case .failed, .unable: .failure(.failed)
        }
    }

    /// The time for which the answer is kept.
    fileprivate func life(_ rule: ResolverRule) -> Duration? {
        switch self {
        case .found(_, let life): min(max(life, rule.addressLife.lowerBound), rule.addressLife.upperBound)
        case .notFound, .failed: rule.failureLife
        case .timedOut: rule.timeoutLife
        case .unable: nil
        }
    }
}
