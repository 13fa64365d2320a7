import Jobs

/// How many jobs wait or are worked on, in all and of each tenant; or by how many these numbers change.
struct Backlog: Sendable {
    private(set) var total = 0
    private var byTenant: [String: Int] = [:]

    subscript(tenant: String) -> Int { byTenant[tenant, default: 0] }

    mutating func add(_ count: Int, of tenant: String) {
        total += count
        let sum = self[tenant] + count
        byTenant[tenant] = sum == 0 ? nil : sum
    }

    mutating func add(_ changes: Backlog) {
        for (tenant, count) in changes.byTenant { add(count, of: tenant) }
    }
}
