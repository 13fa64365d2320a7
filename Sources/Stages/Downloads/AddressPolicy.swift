/// Which addresses may be dialled: public ones on the web's ports, and what the operator allowed.
package struct AddressPolicy: Sendable, Equatable {
    /// Blocks that the operator opened, on every port.
    package var allowed: [CIDR]
    /// The ports that may be dialled on all other addresses.
    package var ports: Set<Int>
    /// This machine's addresses. What listens on them may take requests from here for an insider's.
    package var own: Set<IPAddress>

    package init(
        allowed: [CIDR] = [],
        ports: Set<Int> = [80, 443],
        own: Set<IPAddress> = IPAddress.ofThisMachine(),
    ) {
        self.allowed = allowed
        self.ports = ports
        self.own = own
    }

    /// For servers that whoever runs attachd has named: every address, on every port.
    package static let everywhere = AddressPolicy(allowed: CIDR.everywhere, own: [])

    /// Why `address` may not be dialled on `port`; `nil` if it may.
    ///
    /// An IPv4-mapped address is judged as the IPv4 address that it is. Every other IPv6 address has to pass itself, and
    /// so has every IPv4 address that it carries to a gateway: opening a NAT64 prefix doesn't open what is behind it.
    package func refusal(of address: IPAddress, port: Int) -> AddressRefusal? {
        let dialled = address.unmapped
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

/// Why an address may not be dialled.
package enum AddressRefusal: Sendable, Equatable, CustomStringConvertible {
    case range(IPAddress, SpecialRange)
    case carried(IPAddress, by: IPAddress, SpecialRange)
    case own(IPAddress)
    case port(Int)

    /// Names address and range. Only the operator may read it.
    package var description: String {
        switch self {
        case .range(let address, let range): "\(address) is \(range.name) (\(range.block))"
        case .carried(let address, let carrier, let range):
            "\(carrier) leads to \(address), \(range.name) (\(range.block))"
        case .own(let address): "\(address) is an address of this machine"
        case .port(let port): "port \(port) is not one that media is served from"
        }
    }
}
