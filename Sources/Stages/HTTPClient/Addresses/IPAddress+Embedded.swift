package import Names

extension IPAddress {
    /// The address that the kernel dials: the IPv4 address of an IPv4-mapped one (`::ffff:192.0.2.1`, RFC 4291,
    /// 2.5.5.2), otherwise the address itself.
    package var unmapped: IPAddress {
        family == .v6 && bits >> 32 == 0xffff ? ipv4(at: 96) : self
    }

    /// The IPv4 addresses that a gateway on the way may take out of this IPv6 address and dial.
    package var embeddedIPv4: [IPAddress] {
        guard family == .v6 else { return [] }
        var found: [IPAddress] = []
        switch bits >> 32 {
        // IPv4-compatible (RFC 4291, 2.5.5.1), except `::` and `::1`.
        case 0 where bits > 1: found.append(ipv4(at: 96))
        // IPv4-translated (RFC 2765, 2.1), and NAT64's well-known prefix (RFC 6052, 2.1).
        case 0xffff_0000, 0x0064_ff9b_0000_0000_0000_0000: found.append(ipv4(at: 96))
        default: break
        }
        // NAT64's local prefix (RFC 8215): a network may use the /48, split round an octet that stays zero (RFC 6052,
        // 2.2), or a /96 in it. Only the first /96 leaves the bits of the split form empty.
        if bits >> 80 == 0x0064_ff9b_0001 {
            let split = UInt32(bits >> 64 & 0xffff) << 16 | UInt32(bits >> 40 & 0xffff)
            if split != 0 { found.append(IPAddress(v4: split)) }
            found.append(ipv4(at: 96))
        }
        // 6to4 (RFC 3056, 2).
        if bits >> 112 == 0x2002 { found.append(ipv4(at: 16)) }
        // Teredo (RFC 4380, 4): the server, and the client with its bits inverted.
        if bits >> 96 == 0x2001_0000 {
            found.append(ipv4(at: 32))
            found.append(IPAddress(v4: ~UInt32(truncatingIfNeeded: bits)))
        }
        // ISATAP (RFC 5214, 6.1), under any prefix.
        if [0x0000_5efe, 0x0200_5efe].contains(UInt32(truncatingIfNeeded: bits >> 32)) { found.append(ipv4(at: 96)) }
        return found
    }

    /// Returns the 32 bits that begin `offset` bits from the left.
    private func ipv4(at offset: Int) -> IPAddress {
        IPAddress(v4: UInt32(truncatingIfNeeded: bits >> (96 - offset)))
    }
}
