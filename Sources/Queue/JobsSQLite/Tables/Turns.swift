import Jobs
import Timing
import Values

/// The turns of tenants at this queue's leases. They are not in the file: after a restart, all tenants begin anew.
struct Turns: Sendable {
    /// The turns for each priority.
    var taken: [TenantTurns]
    /// For each priority, the last tenant that a lease looked at if more wait than one lease looks at; otherwise empty.
    var lastTenants = [String](repeating: "", count: Job.Priority.allCases.count)

    init(_ lines: TenantLines) { taken = .init(repeating: TenantTurns(lines), count: Job.Priority.allCases.count) }
}
