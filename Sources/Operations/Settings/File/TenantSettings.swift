package import Values

/// A tenant of the configuration file. It has a share of its own, and metrics of its own.
package struct TenantSettings: Sendable, Equatable {
    /// The percentage of the backlog, and of concurrent notifications, that the tenant may have, if it has one of its
    /// own.
    package var share: Int?

    /// The most tenants of a configuration. Each has its own time series in the metrics.
    static let limit = 100

    package init(share: Int? = nil) { self.share = share }

    /// Reads the section `tenants`.
    static func all(in root: ConfigurationTable) throws(SettingsError) -> [String: TenantSettings] {
        var tenants: [String: TenantSettings] = [:]
        for (name, table) in try root.tables("tenants", keys: ["share"]) {
            guard TenantName.isValid(name) else {
                let reason = "\"\(name)\" is not a tenant's name. Write \(TenantName.rule)."
                throw SettingsError(key: table.path, reason: reason)
            }
            tenants[name] = TenantSettings(share: try table.number("share", in: 1...100))
            guard tenants.count <= limit else {
                throw SettingsError(key: "tenants", reason: "There are more than \(limit). List the important ones.")
            }
        }
        return tenants
    }
}

extension Settings {
    /// The lines in which tenants take turns and have shares.
    package var tenantLines: TenantLines { TenantLines(listed: Set(tenants.keys)) }
}
