/// The rule for the names of tenants: the products or customers that share a fleet, each with its turns and its share.
///
/// The alphabet keeps names apart in URLs, keys, logs and labels of metrics, however they are joined.
package enum TenantName {
    /// The tenant of work that does not name one.
    package static let unnamed = "default"

    /// The longest name, in bytes.
    package static let byteLimit = 64

    /// The rule in words, for messages.
    package static let rule = "1 to 64 letters, digits, \".\", \"_\" or \"-\" of ASCII, such as \"chat\""

    package static func isValid(_ name: String) -> Bool {
        (1...byteLimit).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The tenant of the work under way. Shared work keeps the tenant of the notification that began it.
package enum WorkingTenant {
    @TaskLocal package static var name = TenantName.unnamed
}

// MARK: - Lines

/// The rule that limits the advantage of invented tenant names: lines take turns and have shares, not names.
///
/// If the operator lists tenants, each listed tenant has its own line, and so has work without a tenant; all other names
/// share one line. Otherwise only `freeLimit` names have their own lines at a time, and the rest share one. Names that took
/// turns recently keep their lines (`TenantTurns`, and `line_of` in the scripts for Redis).
package struct TenantLines: Sendable, Equatable {
    /// The line that many tenants share. It is not a valid name of a tenant.
    package static let shared = "*"
    /// The maximum number of lines of names that the operator did not list.
    package static let freeLimit = 16

    /// The tenants that the operator listed.
    package var listed: Set<String>

    package init(listed: Set<String> = []) { self.listed = listed }

    /// Returns the line of a tenant; `nil` if the operator listed no tenants, so that the names in use decide.
    package func line(of tenant: String) -> String? {
        guard !listed.isEmpty else { return nil }
        return tenant == TenantName.unnamed || listed.contains(tenant) ? tenant : Self.shared
    }
}
