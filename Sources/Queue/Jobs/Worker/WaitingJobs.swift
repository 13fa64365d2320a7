import Base
import Media

/// The waiting jobs in the order in which they begin: by priority, then in turns of their tenants, then by deadline.
struct WaitingJobs {
    /// The jobs of one priority.
    private struct Line {
        var tenants: [String: DeadlineOrder] = [:]
        var turns: TenantTurns

        func first(where hasTime: (Lease) -> Bool) -> Lease? {
            let firsts = tenants.compactMapValues { $0.first(where: hasTime) }
            return turns.next(among: firsts).flatMap { firsts[$0]?.lease }
        }
    }

    private var lines: [Line]
    private var all = DeadlineOrder()

    init(_ tenants: TenantLines = TenantLines()) {
        lines = .init(repeating: Line(turns: TenantTurns(tenants)), count: Job.Priority.allCases.count)
    }

    /// Returns the first job in the order in which they begin that satisfies `hasTime`.
    func first(where hasTime: (Lease) -> Bool) -> Lease? {
        for line in lines { if let first = line.first(where: hasTime) { return first } }
        return nil
    }

    /// The earliest deadline and its job.
    var soonest: (deadline: Instant, lease: Lease)? { all.first.map { ($0.deadline, $0.lease) } }

    var count: Int { all.count }

    /// Returns the number of jobs that cannot be answered one after the other without missing a deadline, if each answer
    /// takes `answerTime`.
    func jobsDueTogether(answerTime: Duration) -> Int {
        all.first.map { all.count(dueBy: $0.deadline + answerTime * all.count) } ?? 0
    }

    /// The most tenants of a priority that are told to the queue.
    private static let tenantLimit = 256

    /// The tenants that wait, by priority.
    var tenants: [Job.Priority: Set<String>] {
        var found: [Job.Priority: Set<String>] = [:]
        for priority in Job.Priority.allCases {
            let names = lines[priority.rawValue].tenants.keys
            if !names.isEmpty { found[priority] = Set(names.prefix(Self.tenantLimit)) }
        }
        return found
    }

    /// All leases, earliest deadline first.
    var leases: [Lease] { all.leases }

    mutating func insert(_ job: LeasedJob) {
        let entry = DeadlineOrder.Entry(job)
        all.insert(entry)
        lines[job.job.priority.rawValue].tenants[job.job.tenant, default: DeadlineOrder()].insert(entry)
    }

    mutating func remove(_ job: LeasedJob) {
        let (entry, tenant) = (DeadlineOrder.Entry(job), job.job.tenant)
        all.remove(entry)
        let priority = job.job.priority.rawValue
        lines[priority].tenants[tenant]?.remove(entry)
        if lines[priority].tenants[tenant]?.count == 0 { lines[priority].tenants[tenant] = nil }
    }

    /// Removes a job that begins, which is a turn of its tenant.
    mutating func begin(_ job: LeasedJob) {
        remove(job)
        lines[job.job.priority.rawValue].turns.record(job.job.tenant)
    }

    mutating func removeAll() {
        all = DeadlineOrder()
        for priority in lines.indices { lines[priority].tenants = [:] }
    }
}

// MARK: - By deadline

/// Leased jobs, sorted by deadline.
struct DeadlineOrder {
    struct Entry: Comparable {
        var deadline: Instant
        var lease: Lease

        init(_ job: LeasedJob) {
            deadline = job.deadline
            lease = job.lease
        }

        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.lease.entry, left.lease.fence) < (right.deadline, right.lease.entry, right.lease.fence)
        }
    }

    /// The entries in descending order: the most urgent one is last, so that its removal does not move the others.
    private var entries: [Entry] = []

    var first: Entry? { entries.last }

    func first(where hasTime: (Lease) -> Bool) -> Entry? { entries.last { hasTime($0.lease) } }

    var count: Int { entries.count }
    var leases: [Lease] { entries.reversed().map(\.lease) }

    /// Returns the number of jobs whose deadline is at that time or before.
    func count(dueBy time: Instant) -> Int {
        var range = entries.startIndex..<entries.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if entries[middle].deadline > time {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return entries.count - range.lowerBound
    }

    mutating func insert(_ entry: Entry) { entries.insert(entry, at: position(of: entry)) }

    mutating func remove(_ entry: Entry) {
        let position = position(of: entry)
        guard position < entries.count, entries[position] == entry else { return }
        entries.remove(at: position)
    }

    /// Returns the index of `entry`, or of its insertion.
    private func position(of entry: Entry) -> Int {
        var range = entries.startIndex..<entries.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if entries[middle] > entry {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}

// MARK: - The window

/// The number of jobs that a worker leases before a decoder has begun them.
///
/// Most jobs wait for downloads, so there must be many more jobs than decoders. But an idle worker could decode a job that
/// waits for a decoder here. So the window begins with the number of jobs that the decoders can take. It grows by one with
/// each job that a decoder begins or that needs no decoder, and shrinks by one while jobs wait for all decoders.
///
/// Jobs that are due soon are leased beside it. They begin at once, but not while jobs wait for all decoders: a job that has not
/// begun can still give way to one that has more time.
struct BeginWindow {
    private let decoders: Int?
    private let range: ClosedRange<Int>
    private var size: Int
    private var isCrowded = false
    /// The number of jobs that may begin before jobs wait for all decoders.
    private var spare = Int.max

    /// Creates the window, which never gets larger than `ahead`. Without `decoders`, it has that size.
    init(decoders: Int?, ahead: Int) {
        self.decoders = decoders
        let least = decoders.map { min(ahead, 2 * $0) } ?? ahead
        (range, size) = (least...ahead, least)
    }

    /// Returns the number of jobs to lease in addition to the jobs that no decoder has begun.
    func room(beside unbegun: Int) -> Int { max(0, size - unbegun) }

    /// Records that a job has left the window.
    mutating func left() { size = min(max(size + (isCrowded ? -1 : 1), range.lowerBound), range.upperBound) }

    /// Records the number of jobs that wait for a decoder.
    mutating func note(waiting: Int) {
        guard let decoders else { return }
        spare = max(0, decoders - waiting)
        isCrowded = spare == 0
    }

    /// Returns whether one more job may begin, in addition to the jobs that are on their way to a decoder.
    func mayBegin(beside coming: @autoclosure () -> Int) -> Bool { spare > 0 || coming() < range.lowerBound }

    /// Records that a job begins.
    mutating func began() { if spare > 0 { spare -= 1 } }
}
