import CPSL
import Names

/// The owner of an origin, as far as its name or address tells: the unit of fairness between origins.
///
/// A name counts by its registrable domain (the Public Suffix List), because its owner can make any number of names
/// below that. An address counts by the smallest block that the Internet routes: 256 IPv4 addresses, or a /48 of IPv6.
struct Site: Hashable, Sendable {
    let name: String

    init(_ origin: Origin) {
        name = Self.owner(of: origin.host) + (origin.tenant.map { "/\($0)" } ?? "")
    }

    /// Creates the owner of a host, whatever tenants it has: the peer of a connection.
    init(host: String) { name = Self.owner(of: host.lowercased()) }

    private static func owner(of host: String) -> String {
        if let address = IPAddress(host)?.unmapped { return block(of: address) }
        // "host." and "host" are the same name.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let domain = unsafe name.withCString { start in
            // The domain is a part of the text that libpsl was given, and is gone with it.
            unsafe psl_registrable_domain(psl_builtin(), start).map { unsafe String(cString: $0) }
        }
        return domain ?? name
    }

    private static func block(of address: IPAddress) -> String {
        switch address.family {
        case .v4: "\(IPAddress(v4: UInt32(truncatingIfNeeded: address.bits) & 0xFFFF_FF00))/24"
        case .v6: "\(IPAddress(v6: (address.bits >> 80) << 80))/48"
        }
    }
}
