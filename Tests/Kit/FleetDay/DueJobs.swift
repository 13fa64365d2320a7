/// Numbers of jobs by the second at which they are due.
struct DueJobs {
    private struct Group {
        var due: Int
        var count: Int
    }

    /// The groups, by the second, the first one last.
    private var groups: [Group] = []
    private(set) var total = 0

    mutating func add(_ count: Int, due: Int) {
        guard count > 0 else { return }
        total += count
        // Most jobs are due after all others.
        var index = 0
        while index < groups.count, groups[index].due > due { index += 1 }
        if index < groups.count, groups[index].due == due {
            groups[index].count += count
        } else {
            groups.insert(Group(due: due, count: count), at: index)
        }
    }

    func count(dueBy second: Int) -> Int {
        var sum = 0
        var index = groups.count - 1
        while index >= 0, groups[index].due <= second {
            sum += groups[index].count
            index -= 1
        }
        return sum
    }

    /// Moves the jobs that are due first to `other`, up to `limit`, and only those that are due by `latest`. Returns their
    /// number.
    mutating func move(_ limit: Int, dueBy latest: Int = .max, to other: inout DueJobs) -> Int {
        var moved = 0
        while moved < limit, let first = groups.last, first.due <= latest {
            let part = min(first.count, limit - moved)
            other.add(part, due: first.due)
            moved += remove(part)
        }
        return moved
    }

    /// Removes the jobs that are due first, as `move` does.
    mutating func remove(_ limit: Int, dueBy latest: Int = .max) -> Int {
        var removed = 0
        while removed < limit, let first = groups.last, first.due <= latest {
            let part = min(first.count, limit - removed)
            removed += part
            total -= part
            if part < first.count { groups[groups.count - 1].count -= part } else { groups.removeLast() }
        }
        return removed
    }
}
