import CCurl
import Glibc

/// The rule for addresses to connect to: public addresses on the web's ports, and those that the operator allowed.
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

/// An address that libcurl wants to dial.
struct Endpoint {
    var address: IPAddress
    var port: Int

    /// Reads the address, or returns `nil` if it is neither IPv4 nor IPv6.
    init?(_ pointer: UnsafeMutablePointer<curl_sockaddr>) {
        // `addr` is declared as the short `sockaddr`; libcurl has the whole address there.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let start = unsafe UnsafeRawPointer(pointer).advanced(by: offset)
        switch unsafe pointer.pointee.family {
        case AF_INET:
            let v4 = unsafe start.loadUnaligned(as: sockaddr_in.self)
            (address, port) = (IPAddress(v4.sin_addr), Int(UInt16(bigEndian: v4.sin_port)))
        case AF_INET6:
            let v6 = unsafe start.loadUnaligned(as: sockaddr_in6.self)
            (address, port) = (IPAddress(v6.sin6_addr), Int(UInt16(bigEndian: v6.sin6_port)))
        default:
            return nil
        }
    }
}

// MARK: - Special ranges

/// A range of addresses that never serve public media, and whose reachability is the operator's secret.
package struct SpecialRange: Sendable, Equatable {
    package let block: CIDR
    /// The name with its article, for a message: "a private address".
    package let name: String
    /// The document that gives the range its purpose.
    package let source: String

    /// Creates a row. Stops the program when the table has a typing error; a test reads the whole table.
    private init(_ block: String, _ name: String, _ source: String) {
        do throws(CIDR.ParseError) {
            self.block = try CIDR(block)
        } catch {
            preconditionFailure(error.description)
        }
        self.name = name
        self.source = source
    }

    /// The ranges of IANA's special-purpose registries for IPv4 and IPv6, the multicast and reserved space, and the
    /// cloud platforms' own addresses that lie in public ranges. The first row that holds an address names it, so
    /// narrow rows come before wide ones.
    package static let all = v4 + v6

    private static let v4 = [
        SpecialRange("0.0.0.0/32", "the unspecified address", "RFC 1122, 3.2.1.3"),
        SpecialRange("0.0.0.0/8", "an address of \"this network\"", "RFC 791, 3.2"),
        SpecialRange("10.0.0.0/8", "a private address", "RFC 1918"),
        SpecialRange("100.64.0.0/10", "a carrier-grade NAT address", "RFC 6598"),
        SpecialRange("127.0.0.0/8", "a loopback address", "RFC 1122, 3.2.1.3"),
        SpecialRange("168.63.129.16/32", "a cloud platform's address", "Microsoft: What is IP address 168.63.129.16?"),
        SpecialRange("169.254.169.254/32", "a cloud metadata address", "AWS, Google Cloud, Azure: metadata service"),
        SpecialRange("169.254.0.0/16", "a link-local address", "RFC 3927"),
        SpecialRange("172.16.0.0/12", "a private address", "RFC 1918"),
        SpecialRange("192.0.0.0/24", "a protocol assignment address", "RFC 6890, 2.1"),
        SpecialRange("192.0.2.0/24", "a documentation address", "RFC 5737"),
        SpecialRange("192.31.196.0/24", "an AS112 address", "RFC 7535"),
        SpecialRange("192.52.193.0/24", "a multicast tunneling address", "RFC 7450"),
        SpecialRange("192.88.99.0/24", "a 6to4 relay address", "RFC 7526"),
        SpecialRange("192.168.0.0/16", "a private address", "RFC 1918"),
        SpecialRange("192.175.48.0/24", "an AS112 address", "RFC 7534"),
        SpecialRange("198.18.0.0/15", "a benchmarking address", "RFC 2544"),
        SpecialRange("198.51.100.0/24", "a documentation address", "RFC 5737"),
        SpecialRange("203.0.113.0/24", "a documentation address", "RFC 5737"),
        SpecialRange("224.0.0.0/4", "a multicast address", "RFC 5771"),
        SpecialRange("255.255.255.255/32", "the broadcast address", "RFC 919"),
        SpecialRange("240.0.0.0/4", "a reserved address", "RFC 1112, 4"),
    ]

    private static let v6 = [
        SpecialRange("::/128", "the unspecified address", "RFC 4291, 2.5.2"),
        SpecialRange("::1/128", "a loopback address", "RFC 4291, 2.5.3"),
        SpecialRange("::/96", "an IPv4-compatible address", "RFC 4291, 2.5.5.1"),
        SpecialRange("::ffff:0:0:0/96", "an IPv4-translated address", "RFC 2765, 2.1"),
        SpecialRange("64:ff9b::/96", "a NAT64 address", "RFC 6052, 2.1"),
        SpecialRange("64:ff9b:1::/48", "a local NAT64 address", "RFC 8215"),
        SpecialRange("100::/64", "a discard-only address", "RFC 6666"),
        SpecialRange("100:0:0:1::/64", "a dummy address", "RFC 9780"),
        SpecialRange("2001::/32", "a Teredo address", "RFC 4380"),
        SpecialRange("2001:2::/48", "a benchmarking address", "RFC 5180"),
        SpecialRange("2001:10::/28", "an ORCHID", "RFC 4843"),
        SpecialRange("2001:20::/28", "an ORCHID", "RFC 7343"),
        SpecialRange("2001:30::/28", "a drone's identity", "RFC 9374"),
        SpecialRange("2001::/23", "a protocol assignment address", "RFC 2928"),
        SpecialRange("2001:db8::/32", "a documentation address", "RFC 3849"),
        SpecialRange("2002::/16", "a 6to4 address", "RFC 3056"),
        SpecialRange("2620:4f:8000::/48", "an AS112 address", "RFC 7534"),
        SpecialRange("3ffe::/16", "an address of the former 6bone", "RFC 3701"),
        SpecialRange("3fff::/20", "a documentation address", "RFC 9637"),
        SpecialRange("5f00::/16", "a segment identifier", "RFC 9602"),
        SpecialRange("fd00:ec2::254/128", "a cloud metadata address", "AWS: instance metadata service over IPv6"),
        SpecialRange("fd20:ce::254/128", "a cloud metadata address", "Google Cloud: metadata server over IPv6"),
        SpecialRange("fc00::/7", "a private address", "RFC 4193"),
        SpecialRange("fe80::/10", "a link-local address", "RFC 4291, 2.5.6"),
        SpecialRange("fec0::/10", "a site-local address", "RFC 3879"),
        SpecialRange("ff00::/8", "a multicast address", "RFC 4291, 2.7"),
        // The rest outside 2000::/3, the only space for global unicast addresses.
        SpecialRange("::/3", "a reserved address", "RFC 4291, 2.4"),
        SpecialRange("4000::/2", "a reserved address", "RFC 4291, 2.4"),
        SpecialRange("8000::/1", "a reserved address", "RFC 4291, 2.4"),
    ]
}

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

extension IPAddress {
    /// Returns the present addresses of all network interfaces; empty if the kernel does not report them.
    package static func ofThisMachine() -> Set<IPAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr.flatMap({ unsafe IPAddress($0) }) {
                addresses.insert(address)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }
}

// MARK: - Blocks

/// A block of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct CIDR: Hashable, Sendable, CustomStringConvertible {
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package let base: IPAddress
    package let prefixLength: Int

    /// Reads `ADDRESS/LENGTH`, or an `ADDRESS` that stands for itself. Bits after the prefix must be zero, because the
    /// author of `10.0.0.7/8` may have meant a smaller block.
    package init(_ text: String) throws(ParseError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else {
            let message = "\"\(text)\" is not an address block. Write one like 10.0.0.0/8 or fd00::/8."
            throw ParseError(message)
        }
        let longest = address.family.bitCount
        guard parts.count == 2 else {
            self.init(base: address, prefixLength: longest)
            return
        }
        guard let length = Self.length(parts[1]), length <= longest else {
            let message =
                "\"\(text)\" has an invalid prefix length. Write a number from 0 to \(longest) after the slash."
            throw ParseError(message)
        }
        let block = CIDR(base: address, prefixLength: length)
        guard block.base == address else {
            throw ParseError("\"\(text)\" has bits after its prefix. Write \(block) for the whole block.")
        }
        self = block
    }

    /// Creates the block of that length around `base`.
    private init(base: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        let hostBits = base.family.bitCount - prefixLength
        let bits = (base.bits >> hostBits) << hostBits
        self.base = base.family == .v4 ? IPAddress(v4: UInt32(bits)) : IPAddress(v6: bits)
    }

    /// All addresses, for servers that the operator names.
    static let everywhere = [
        CIDR(base: IPAddress(v4: 0), prefixLength: 0), CIDR(base: IPAddress(v6: 0), prefixLength: 0),
    ]

    private static func length(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(text)
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.family == base.family && CIDR(base: address, prefixLength: prefixLength).base == base
    }

    package var description: String { "\(base)/\(prefixLength)" }
}
