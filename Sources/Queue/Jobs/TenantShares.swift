package import Values

/// The most open jobs of single tenants, so that one tenant's campaign does not fill the queue for the others.
package struct TenantShares: Sendable, Equatable {
    /// The limit of a tenant that is named and has no limit of its own; `nil` if it has the limit of all tenants.
    package var named: Int?
    /// The limits of tenants by their names.
    package var byName: [String: Int]
    /// The lines in which tenants count: those that the operator did not list have one share together.
    package var lines: TenantLines

    package init(named: Int? = nil, byName: [String: Int] = [:], lines: TenantLines = TenantLines()) {
        self.named = named
        self.byName = byName
        self.lines = lines
    }

    /// Creates the limits from percentages of `backlog`: that of each named tenant, and those of the listed ones, as far as
    /// they have their own.
    package init(of backlog: Int, percentage: Int, listed: [String: Int?]) {
        func part(_ percentage: Int) -> Int {
            let (product, overflows) = backlog.multipliedReportingOverflow(by: percentage)
            return max(1, overflows ? backlog : product / 100)
        }
        self.init(
            named: part(percentage),
            byName: listed.compactMapValues(\.self).mapValues(part),
            lines: TenantLines(listed: Set(listed.keys)),
        )
    }

    /// Returns the name under which work of `tenant` counts.
    package func line(of tenant: String) -> String { lines.line(of: tenant) ?? tenant }

    /// Returns the limit of `tenant`, or `nil` if it has the limit of all tenants.
    package subscript(tenant: String) -> Int? {
        byName[tenant] ?? (tenant == TenantName.unnamed ? nil : named)
    }
}
