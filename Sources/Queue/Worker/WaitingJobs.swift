import Jobs
import Media
import Timing

/// Jobs in the order in which they are begun: high priority before low, and then by their deadlines.
struct WaitingJobs {
    private struct Entry: Comparable {
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

    /// Of each priority; the most urgent is last, where it is taken without moving the others.
    private var entries = [[Entry]](repeating: [], count: Job.Priority.allCases.count)

    /// What is begun next.
    var first: Lease? { entries.first { !$0.isEmpty }?.last?.lease }

    /// The earliest of all deadlines, and whose it is.
    var soonest: (deadline: Instant, lease: Lease)? {
        entries.compactMap(\.last).min().map { ($0.deadline, $0.lease) }
    }

    var count: Int { entries.reduce(0) { $0 + $1.count } }

    /// All, in their order.
    var leases: [Lease] { entries.flatMap { $0.reversed().map(\.lease) } }

    mutating func insert(_ job: LeasedJob) {
        let entry = Entry(job)
        let priority = job.job.priority.rawValue
        entries[priority].insert(entry, at: entries[priority].position(of: entry))
    }

    mutating func remove(_ job: LeasedJob) {
        let entry = Entry(job)
        let priority = job.job.priority.rawValue
        let position = entries[priority].position(of: entry)
        guard position < entries[priority].count, entries[priority][position] == entry else { return }
        entries[priority].remove(at: position)
    }

    mutating func removeAll() {
        for priority in entries.indices { entries[priority] = [] }
    }
}

extension Array where Element: Comparable {
    /// Where `element` is, or belongs, in an array that falls.
    fileprivate func position(of element: Element) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self[middle] > element {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}
