import Values

/// The most open jobs of single tenants, so that one tenant's campaign does not fill the queue for the others.
package struct TenantShares: Sendable, Equatable {
    /// The limit of a tenant that is named and has no limit of its own; `nil` if it has the limit of all tenants.
    package var named: Int?
    /// The limits of tenants by their names.
    package var byName: [String: Int]

    package init(named: Int? = nil, byName: [String: Int] = [:]) {
        self.named = named
        self.byName = byName
    }

    /// Creates the limits from percentages of `backlog`.
    package init(of backlog: Int, percentage: Int, percentages: [String: Int]) {
        func part(_ percentage: Int) -> Int {
            let (product, overflows) = backlog.multipliedReportingOverflow(by: percentage)
            return max(1, overflows ? backlog : product / 100)
        }
        self.init(named: part(percentage), byName: percentages.mapValues(part))
    }

    /// Returns the limit of `tenant`, or `nil` if it has the limit of all tenants.
    package subscript(tenant: String) -> Int? {
        byName[tenant] ?? (tenant == TenantName.unnamed ? nil : named)
    }
}
