/// The rule for the names of tenants: the products or customers that share a fleet, each with its turns and its share.
///
/// The alphabet keeps names apart in URLs, keys, logs and labels of metrics, however they are joined.
package enum TenantName {
    /// The tenant of work that names none.
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
