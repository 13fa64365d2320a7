import NIOCore

/// The address of a client's connections. For IPv6 it is the /64 network, because a host can use all addresses of it.
struct ClientAddress: Hashable, Sendable {
    private let text: Substring

    init(_ address: SocketAddress?) { self.init(address?.ipAddress ?? "") }

    init(_ address: String) {
        let mapped = "::ffff:"
        if address.hasPrefix(mapped), address.contains(".") {
            text = address.dropFirst(mapped.count)
        } else if address.contains(":") {
            // Four groups, or fewer if zeros are omitted.
            let groups = address.split(separator: ":", omittingEmptySubsequences: false)
            text = "\(groups.prefix(4).prefix { !$0.isEmpty }.joined(separator: ":")):"
        } else {
            text = address[...]
        }
    }
}
