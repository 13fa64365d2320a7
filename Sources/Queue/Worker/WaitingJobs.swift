import Jobs
import Media
import Timing

/// The waiting jobs in the order in which they begin: by priority, then by deadline.
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

    /// The jobs of each priority. The most urgent one is last, so that its removal does not move the others.
    private var entries = [[Entry]](repeating: [], count: Job.Priority.allCases.count)

    /// The job that begins next.
    var first: Lease? { entries.first { !$0.isEmpty }?.last?.lease }

    /// The earliest deadline and its job.
    var soonest: (deadline: Instant, lease: Lease)? {
        entries.compactMap(\.last).min().map { ($0.deadline, $0.lease) }
    }

    var count: Int { entries.reduce(0) { $0 + $1.count } }

    /// All leases in order.
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
    /// Returns the index of `element`, or of its insertion, in a descending array.
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
