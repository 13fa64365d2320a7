import NIOCore

/// The address that connections of one client come from. Of IPv6 the network counts, for a host has all of its addresses.
struct ClientAddress: Hashable, Sendable {
    private let text: Substring

    init(_ address: SocketAddress?) { self.init(address?.ipAddress ?? "") }

    init(_ address: String) {
        let mapped = "::ffff:"
        if address.hasPrefix(mapped), address.contains(".") {
            text = address.dropFirst(mapped.count)
        } else if address.contains(":") {
            // Four groups, or fewer where zeros are left out.
            let groups = address.split(separator: ":", omittingEmptySubsequences: false)
            text = "\(groups.prefix(4).prefix { !$0.isEmpty }.joined(separator: ":")):"
        } else {
            text = address[...]
        }
    }
}
