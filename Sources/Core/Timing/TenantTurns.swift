/// The turns that tenants have taken at a resource, and the choice of the tenant that is next.
///
/// Tenants take turns, and urgency decides within bounds: the earliest deadline goes first among the tenants that are
/// less than `lead` turns ahead of the one with the fewest. A tenant that did not wait for a while begins `lead` turns
/// behind the one with the most, so its first job goes at once, and it cannot save up more. With one tenant, the order
/// is that of the deadlines.
///
/// The scripts of the queue on Redis have the same rule.
package struct TenantTurns: Sendable {
    /// The number of turns by which urgency may put one tenant ahead of another.
    package static let lead = 8
    /// The most tenants that are remembered. Beyond it, those with the fewest turns are forgotten first.
    static let memory = 1024

    /// The turns of the tenants that took one lately. Any other tenant counts as `lead` behind the most.
    private var turns: [String: Int] = [:]
    private var most = 0

    package init() {}

    /// The number of tenants that are remembered.
    var count: Int { turns.count }

    /// Returns the tenant whose turn it is, given the earliest deadline of each waiting one. `nil` if none waits.
    package func next<Deadline: Comparable>(among waiting: [String: Deadline]) -> String? {
        guard waiting.count > 1 else { return waiting.first?.key }
        let fewest = waiting.keys.reduce(Int.max) { min($0, level(of: $1)) }
        return waiting.filter { level(of: $0.key) < fewest + Self.lead }
            .min { ($0.value, level(of: $0.key), $0.key) < ($1.value, level(of: $1.key), $1.key) }?.key
    }

    /// Records that `tenant` took a turn.
    package mutating func record(_ tenant: String) {
        let level = level(of: tenant) + 1
        turns[tenant] = level
        if level > most {
            most = level
            forget()
        }
        while turns.count > Self.memory {
            most += 1
            forget()
        }
    }

    private func level(of tenant: String) -> Int { max(turns[tenant] ?? .min, most - Self.lead) }

    /// Forgets the tenants that have no more turns than one that is not remembered.
    private mutating func forget() {
        let least = most - Self.lead
        turns = turns.filter { $0.value > least }
    }
}

extension TenantTurns {
    /// Returns up to `limit` of `items` in the order in which their tenants take turns, and then the others. The items
    /// are in order of their deadlines.
    package func ordered<Item>(_ items: [Item], limit: Int, tenant: (Item) -> String) -> [Item] {
        guard let first = items.first.map(tenant), items.contains(where: { tenant($0) != first }) else { return items }
        // The position in the list stands for the deadline.
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
