package import Names

/// The addresses that may be dialled: public ones on the web's ports, and those that the operator allowed.
package struct AddressPolicy: Sendable, Equatable {
    /// The blocks that the operator opened, on every port.
    package var allowed: [CIDR]
    /// The ports that may be dialled on all other addresses.
    package var ports: Set<Int>
    /// This machine's addresses. A server that listens on them may take requests from here for an insider's.
    package var own: Set<IPAddress>
    /// The only addresses that may be dialled, on every port; `nil` leaves the decision to the other properties.
    package var exact: Set<IPAddress>?

    package init(
        allowed: [CIDR] = [],
        ports: Set<Int> = [80, 443],
        own: Set<IPAddress> = IPAddress.ofThisMachine(),
    ) {
        self.allowed = allowed
        self.ports = ports
        self.own = own
    }

    /// A policy that allows every address on every port, for servers that the operator named.
    package static let everywhere = AddressPolicy(allowed: CIDR.everywhere, own: [])

    /// Returns a policy that allows these addresses and no others, for a host that the operator named.
    package static func only(_ addresses: [IPAddress]) -> AddressPolicy {
        var policy = AddressPolicy(own: [])
        policy.exact = Set(addresses.map(\.unmapped))
        return policy
    }

    /// Returns the reason why `address` may not be dialled on `port`, or `nil` if it may.
    ///
    /// An IPv4-mapped address is judged as the IPv4 address that it is. Every other IPv6 address must pass itself, and
    /// so must every IPv4 address that it carries to a gateway: opening a NAT64 prefix does not open the addresses
    /// behind it.
    package func refusal(of address: IPAddress, port: Int) -> AddressRefusal? {
        let dialled = address.unmapped
        if let exact { return exact.contains(dialled) ? nil : .other(dialled) }
        if let range = range(of: dialled) { return .range(dialled, range) }
        for carried in dialled.embeddedIPv4 {
            if let range = range(of: carried) { return .carried(carried, by: dialled, range) }
        }
        guard !isAllowed(dialled) else { return nil }
        if own.contains(dialled) { return .own(dialled) }
        return ports.contains(port) ? nil : .port(port)
    }

    private func range(of address: IPAddress) -> SpecialRange? {
        isAllowed(address) ? nil : SpecialRange.all.first { $0.block.contains(address) }
    }

    private func isAllowed(_ address: IPAddress) -> Bool {
        allowed.contains { $0.contains(address) }
    }
}

/// The reason why an address may not be dialled.
package enum AddressRefusal: Sendable, Equatable, CustomStringConvertible {
    case range(IPAddress, SpecialRange)
    case carried(IPAddress, by: IPAddress, SpecialRange)
    case own(IPAddress)
    case other(IPAddress)
    case port(Int)

    /// The address and its range. Only the operator may read it.
    package var description: String {
        switch self {
        case .range(let address, let range): "\(address) is \(range.name) (\(range.block))"
        case .carried(let address, let carrier, let range):
            "\(carrier) leads to \(address), \(range.name) (\(range.block))"
        case .own(let address): "\(address) is an address of this machine"
        case .other(let address): "\(address) is not one of the addresses in the source's rule"
        case .port(let port): "port \(port) is not one that media is served from"
        }
    }
}
