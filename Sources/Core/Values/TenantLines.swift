/// The rule that bounds what invented names of tenants get: turns and shares count by line, not by name.
///
/// Where the operator lists tenants, each of those has a line of its own, and so has work without a tenant; all other names
/// share one. Where none is listed, only `freeLimit` names have lines of their own at a time, and the rest share one:
/// those that took turns lately keep theirs (`TenantTurns`, and `line_of` in the scripts for Redis).
package struct TenantLines: Sendable, Equatable {
    /// The line that many tenants share. It is not a valid name of a tenant.
    package static let shared = "*"
    /// The most lines of names that nobody listed.
    package static let freeLimit = 16

    /// The tenants that the operator listed.
    package var listed: Set<String>

    package init(listed: Set<String> = []) { self.listed = listed }

    /// Returns the line in which a tenant counts; `nil` if none is listed, so that the names in use decide.
    package func line(of tenant: String) -> String? {
        guard !listed.isEmpty else { return nil }
        return tenant == TenantName.unnamed || listed.contains(tenant) ? tenant : Self.shared
    }
}
