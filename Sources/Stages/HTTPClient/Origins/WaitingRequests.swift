import Base
import Media

/// The requests that wait for a permit, by their origins and sites.
///
/// All requests to one origin wait in one line, the one with the least time first, because what holds back the first holds
/// back the others. The next request is found without a look at all others: a decision costs the same however many wait.
struct WaitingRequests {
    /// The order of requests: that with the least time comes first, and of equal ones the older.
    struct Urgency: Comparable {
        var deadline: Instant
        var number: UInt64

        static func < (left: Urgency, right: Urgency) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    typealias Request = (origin: Origin, urgency: Urgency)

    /// What holds back a line.
    enum Hold {
        /// Nothing: its first request may begin as soon as its site may have one more.
        case open
        /// Its origin has as many requests as it may have.
        case full
        /// Its origin pauses, until then or until the next event.
        case paused(until: Instant?)
    }

    /// The requests to each origin. The first stands last, where it is removed without moving the others.
    private var lines: [Origin: [Urgency]] = [:]
    private var origins: [UInt64: Origin] = [:]
    private var originsOfSites: [Site: Set<Origin>] = [:]
    /// All lines, by their first requests.
    private var all = IndexedHeap<Origin, Urgency>()
    /// The lines that no pause holds back.
    private var unpaused = IndexedHeap<Origin, Urgency>()
    /// The ends of pauses.
    private var pauses = IndexedHeap<Origin, Instant>()
    /// The open lines of each site.
    private var open: [Site: IndexedHeap<Origin, Urgency>] = [:]
    /// The sites with open lines, by the number of their permits and whether they are known.
    private var loads: [IndexedHeap<Site, Urgency>] = []
    private var loadOfSite: [Site: Int] = [:]

    private(set) var count = 0
    /// The number of lines and requests that were looked at.
    private(set) var examined = 0

    var isEmpty: Bool { count == 0 }
    var isAllPaused: Bool { unpaused.isEmpty }
    /// The request with the least time.
    var first: Request? { all.first.map { ($0.element, $0.key) } }
    /// The next end of a pause.
    var nextPauseEnd: Instant? { pauses.first?.key }

    func first(of origin: Origin) -> Urgency? { lines[origin]?.last }

    func isOpen(_ origin: Origin) -> Bool { open[origin.site]?[origin] != nil }

    func origins(of site: Site) -> Set<Origin> { originsOfSites[site] ?? [] }

    // MARK: - Changes

    mutating func add(_ urgency: Urgency, to origin: Origin) {
        let index = lines[origin]?.partitioningIndex { $0 < urgency } ?? 0
        lines[origin, default: []].insert(urgency, at: index)
        origins[urgency.number] = origin
        originsOfSites[origin.site, default: []].insert(origin)
        count += 1
        if first(of: origin) == urgency { firstChanged(of: origin, to: urgency) }
    }

    /// Removes the request `number`, if it waits.
    mutating func remove(_ number: UInt64) -> Request? {
        guard let origin = origins[number], let line = lines[origin],
            let index = line.firstIndex(where: { $0.number == number })
        else { return nil }
        return remove(at: index, from: origin)
    }

    mutating func removeFirst(of origin: Origin) -> Request? {
        lines[origin].flatMap { remove(at: $0.count - 1, from: origin) }
    }

    private mutating func remove(at index: Int, from origin: Origin) -> Request? {
        guard let urgency = lines[origin]?.remove(at: index) else { return nil }
        origins[urgency.number] = nil
        count -= 1
        if let first = first(of: origin) {
            if index == lines[origin]?.count { firstChanged(of: origin, to: first) }
        } else {
            lines[origin] = nil
            all.remove(origin)
            unpaused.remove(origin)
            pauses.remove(origin)
            originsOfSites[origin.site]?.remove(origin)
            if originsOfSites[origin.site]?.isEmpty == true { originsOfSites[origin.site] = nil }
            close(origin)
        }
        return (origin, urgency)
    }

    private mutating func firstChanged(of origin: Origin, to first: Urgency) {
        all.set(origin, to: first)
        if unpaused[origin] != nil { unpaused.set(origin, to: first) }
        if isOpen(origin) {
            open[origin.site]?.set(origin, to: first)
            place(origin.site)
        }
    }

    /// Notes what holds back the line of `origin`, whose site has that load.
    mutating func set(_ hold: Hold, of origin: Origin, load: Int, isKnown: Bool) {
        examined += 1
        guard let first = first(of: origin) else { return }
        pauses.remove(origin)
        if case .paused(let end) = hold {
            unpaused.remove(origin)
            if let end { pauses.set(origin, to: end) }
        } else {
            unpaused.set(origin, to: first)
        }
        guard case .open = hold else { return close(origin) }
        open[origin.site, default: IndexedHeap()].set(origin, to: first)
        setLoad(load, isKnown: isKnown, of: origin.site)
    }

    private mutating func close(_ origin: Origin) {
        guard open[origin.site]?.remove(origin) != nil else { return }
        if open[origin.site]?.isEmpty == true { open[origin.site] = nil }
        place(origin.site)
    }

    /// Notes the number of permits of a site.
    mutating func setLoad(_ load: Int, isKnown: Bool, of site: Site) {
        guard open[site] != nil else { return }
        let index = 2 * load + (isKnown ? 1 : 0)
        while loads.count <= index { loads.append(IndexedHeap()) }
        if let before = loadOfSite[site], before != index { loads[before].remove(site) }
        loadOfSite[site] = index
        place(site)
    }

    /// Puts a site into its place among those of equal load.
    private mutating func place(_ site: Site) {
        guard let index = loadOfSite[site] else { return }
        if let first = open[site]?.first {
            loads[index].set(site, to: first.key)
        } else {
            loads[index].remove(site)
            loadOfSite[site] = nil
        }
    }

    // MARK: - Choices

    /// Returns the origin whose first request is next: the most urgent of the sites that have less than `share`, or of all.
    /// `mayBegin` tells whether a site with so many permits may have one more.
    mutating func next(share: Int, _ mayBegin: (Site, _ load: Int, _ isKnown: Bool) -> Bool) -> Origin? {
        var best: IndexedHeap<Site, Urgency>.Entry?
        for index in loads.indices {
            // Those with less than their share come first.
            if index == 2 * share, best != nil { break }
            guard let first = loads[index].first, best.map({ first.key < $0.key }) ?? true else { continue }
            examined += 1
            if mayBegin(first.element, index / 2, index % 2 == 1) { best = first }
        }
        return best.flatMap { open[$0.element]?.first?.element }
    }

    /// Takes the origin whose pause ended first, if it ended by `now`.
    mutating func takePauseEnd(by now: Instant) -> Origin? {
        guard let first = pauses.first, first.key <= now else { return nil }
        return pauses.removeFirst()?.element
    }

    /// Returns the most urgent requests that no pause holds back.
    mutating func mostUrgent(_ limit: Int) -> [Request] {
        var taken: [IndexedHeap<Origin, Urgency>.Entry] = []
        while taken.count < limit, let entry = unpaused.removeFirst() { taken.append(entry) }
        for entry in taken { unpaused.set(entry.element, to: entry.key) }
        let requests = taken.flatMap { [lines] entry in
            lines[entry.element, default: []].suffix(limit).map { (entry.element, $0) }
        }
        examined += requests.count
        return Array(requests.sorted { $0.1 < $1.1 }.prefix(limit))
    }
}

extension Array {
    /// Returns the first index whose element satisfies a condition that all later ones satisfy, too.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
