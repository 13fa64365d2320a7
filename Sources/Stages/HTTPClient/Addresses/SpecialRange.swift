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
