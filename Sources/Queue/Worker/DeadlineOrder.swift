import Jobs
import Timing

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
