/// The turns that tenants have taken at a resource, and the choice of the tenant that is next.
///
/// Tenants take turns, and urgency decides within bounds: the earliest deadline goes first among the tenants that are
/// less than `lead` turns ahead of the one with the fewest. A tenant that did not wait for a while begins `lead` turns
/// behind the one with the most, so its first job goes at once, and it cannot save up more. With one tenant, the order
/// is that of the deadlines.
///
/// Lines take turns, not names (`TenantLines`): all or most names that the operator did not list share one line. The
/// scripts of the queue on Redis use the same rule.
package struct TenantTurns: Sendable {
    /// The number of turns by which urgency may put one tenant ahead of another.
    package static let lead = 8

    /// The lines in which tenants count.
    private let lines: TenantLines
    /// The turns of the lines that took one lately. Any other line counts as `lead` behind the most.
    private var turns: [String: Int] = [:]
    private var most = 0

    package init(_ lines: TenantLines = TenantLines()) { self.lines = lines }

    /// The number of lines that are remembered.
    var count: Int { turns.count }

    /// The tenants that always have their own line.
    package var owners: Set<String> { lines.listed.union(turns.keys).subtracting([TenantLines.shared]) }

    /// Returns the line in which a tenant counts now.
    package func line(of tenant: String) -> String {
        if let line = lines.line(of: tenant) { return line }
        return turns[tenant] != nil || turns.count < TenantLines.freeLimit ? tenant : TenantLines.shared
    }

    /// Returns the tenant whose turn it is, given the earliest deadline of each waiting tenant; `nil` if no tenant waits.
    package func next<Deadline: Comparable>(among waiting: [String: Deadline]) -> String? {
        guard waiting.count > 1 else { return waiting.first?.key }
        // The first tenant of each line represents the line.
        var heads: [String: (tenant: String, deadline: Deadline)] = [:]
        for (tenant, deadline) in waiting {
            let line = line(of: tenant)
            guard let head = heads[line], (head.deadline, head.tenant) < (deadline, tenant) else {
                heads[line] = (tenant, deadline)
                continue
            }
        }
        let fewest = heads.keys.reduce(Int.max) { min($0, level(of: $1)) }
        return heads.filter { level(of: $0.key) < fewest + Self.lead }
            .min { ($0.value.deadline, level(of: $0.key), $0.key) < ($1.value.deadline, level(of: $1.key), $1.key) }?
            .value.tenant
    }

    /// Records that `tenant` took a turn.
    package mutating func record(_ tenant: String) {
        let line = line(of: tenant)
        let level = level(of: line) + 1
        turns[line] = level
        if level > most {
            most = level
            forget()
        }
    }

    private func level(of line: String) -> Int { max(turns[line] ?? .min, most - Self.lead) }

    /// Forgets the lines with fewer turns than a line that is not remembered would have. A line that always waits is never
    /// among them, so its tenant keeps it.
    private mutating func forget() {
        let least = most - Self.lead
        turns = turns.filter { $0.value >= least }
    }
}

extension TenantTurns {
    /// Returns up to `limit` of `items` in the order in which their tenants take turns, and then the others. The items
    /// are in order of their deadlines.
    package func ordered<Item>(_ items: [Item], limit: Int, tenant: (Item) -> String) -> [Item] {
        guard let first = items.first.map(tenant), items.contains(where: { tenant($0) != first }) else { return items }
        // The position in the list represents the deadline.
        var positions: [String: ArraySlice<Int>] = [:]
        for (position, item) in items.enumerated() { positions[tenant(item), default: []].append(position) }
        var future = self
        var order: [Int] = []
        while order.count < limit, let next = future.next(among: positions.compactMapValues(\.first)) {
            guard let position = positions[next]?.popFirst() else { break }
            if positions[next]?.isEmpty == true { positions[next] = nil }
            order.append(position)
            future.record(next)
        }
        let rest = positions.values.joined().sorted()
        return (order + rest).map { items[$0] }
    }
}
