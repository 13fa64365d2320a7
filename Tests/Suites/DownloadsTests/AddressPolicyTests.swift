import Downloads
import HTTPClient
import Testing

@Suite("The address policy")
struct AddressPolicyTests {
    private func refusal(_ text: String, port: Int = 443, allowing blocks: String...) throws -> String? {
        let policy = AddressPolicy(allowed: try blocks.map { try CIDR($0) })
        return policy.refusal(of: try #require(IPAddress(text)), port: port)?.description
    }

    @Test("the first and the last address of every special range are refused", arguments: SpecialRange.all)
    func specialRanges(range: SpecialRange) throws {
        let hostBits = range.block.base.family.bitCount - range.block.prefixLength
        let last = range.block.base.bits | (hostBits == 128 ? .max : (UInt128(1) << hostBits) - 1)
        let ends = [
            range.block.base, range.block.base.family == .v4 ? IPAddress(v4: UInt32(last)) : IPAddress(v6: last),
        ]
        for address in ends {
            #expect(range.block.contains(address))
            #expect(AddressPolicy().refusal(of: address, port: 443) != nil)
        }
    }

    @Test(
        "public addresses may be dialled, up to the edges of the special ranges",
        arguments: [
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
            "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "198.51.99.255", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "::ffff:8.8.8.8",
            "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111",
            "2620:4f:7fff::1", "2a00::1", "3ffd::1", "3fff:1000::1", "2a00::5efe:8.8.8.8",
        ],
    )
    func publicAddresses(text: String) throws { #expect(try refusal(text) == nil) }

    @Test(
        "a refusal names the range",
        arguments: [
            ("10.0.0.7", "10.0.0.7 is a private address (10.0.0.0/8)"),
            ("127.0.0.1", "127.0.0.1 is a loopback address (127.0.0.0/8)"),
            ("0.0.0.0", "0.0.0.0 is the unspecified address (0.0.0.0/32)"),
            ("169.254.169.254", "169.254.169.254 is a cloud metadata address (169.254.169.254/32)"),
            ("100.100.100.200", "100.100.100.200 is a carrier-grade NAT address (100.64.0.0/10)"),
            ("255.255.255.255", "255.255.255.255 is the broadcast address (255.255.255.255/32)"),
            ("::1", "::1 is a loopback address (::1/128)"),
            ("::", ":: is the unspecified address (::/128)"),
            ("fd00:ec2::254", "fd00:ec2::254 is a cloud metadata address (fd00:ec2::254/128)"),
            ("fe80::1", "fe80::1 is a link-local address (fe80::/10)"),
            ("2001:0:4136:e378::1", "2001:0:4136:e378::1 is a Teredo address (2001::/32)"),
            ("4000::1", "4000::1 is a reserved address (4000::/2)"),
        ],
    )
    func names(text: String, message: String) throws { #expect(try refusal(text) == message) }

    @Test(
        "every form that carries a private IPv4 address is refused, even if the form itself is allowed",
        arguments: [
            ("::10.0.0.7", "10.0.0.7"),  // compatible
            ("::ffff:0:10.0.0.7", "10.0.0.7"),  // translated
            ("64:ff9b::172.16.0.1", "172.16.0.1"),  // NAT64
            ("64:ff9b::100.64.0.1", "100.64.0.1"),
            ("64:ff9b:0:0:0:0:a9fe:a9fe", "169.254.169.254"),
            ("64:ff9b:1::192.168.1.1", "192.168.1.1"),  // local NAT64, a /96 of it
            ("64:ff9b:1:c0a8:1:100::", "192.168.1.1"),  // local NAT64, split round the octet in the middle
            ("2002:c0a8:0101::", "192.168.1.1"),  // 6to4
            ("2002:7f00:1::", "127.0.0.1"),
            ("2001:0:a00:7::", "10.0.0.7"),  // Teredo's server
            ("2001:0:808:808:0:0:f5ff:fff8", "10.0.0.7"),  // Teredo's client
            ("2a00::5efe:10.0.0.7", "10.0.0.7"),  // ISATAP
            ("2a00::200:5efe:10.0.0.7", "10.0.0.7"),
            ("fe80::5efe:127.0.0.1", "127.0.0.1"),
        ],
    )
    func embedded(text: String, carried: String) throws {
        #expect(try refusal(text) != nil)
        let message = try #require(try refusal(text, allowing: "::/0"))
        #expect(message.hasPrefix("\(try #require(IPAddress(text))) leads to \(carried), "))
    }

    @Test("an IPv4-mapped address is judged as its IPv4 address")
    func mapped() throws {
        #expect(try refusal("::ffff:7f00:1") == "127.0.0.1 is a loopback address (127.0.0.0/8)")
        #expect(try refusal("::ffff:10.0.0.7", allowing: "10.0.0.0/8") == nil)
        #expect(try refusal("::ffff:10.0.0.7", allowing: "::/0") != nil)
    }

    @Test("an allowed block opens its own addresses and no others")
    func allowed() throws {
        #expect(try refusal("127.0.0.2", allowing: "127.0.0.2/32") == nil)
        #expect(try refusal("127.0.0.1", allowing: "127.0.0.2/32") != nil)
        #expect(try refusal("fd00::7", allowing: "10.0.0.0/8", "fd00::/8") == nil)
        #expect(try refusal("10.0.0.7", allowing: "::/0") != nil)
        #expect(try refusal("::1", allowing: "0.0.0.0/0") != nil)
    }

    @Test("an address behind a NAT64 prefix is opened by the prefix and the IPv4 address together")
    func nat64() throws {
        #expect(try refusal("64:ff9b::8.8.8.8") == "64:ff9b::808:808 is a NAT64 address (64:ff9b::/96)")
        #expect(try refusal("64:ff9b::8.8.8.8", allowing: "64:ff9b::/96") == nil)
        #expect(try refusal("64:ff9b::10.0.0.7", allowing: "64:ff9b::/96") != nil)
        #expect(try refusal("64:ff9b::10.0.0.7", allowing: "64:ff9b::/96", "10.0.0.0/8") == nil)
    }

    @Test("this machine's own public addresses are refused, unless they are allowed")
    func own() throws {
        let address = try #require(IPAddress("8.8.8.8"))
        let closed = AddressPolicy(own: [address])
        #expect(closed.refusal(of: address, port: 80)?.description == "8.8.8.8 is an address of this machine")
        let open = AddressPolicy(allowed: [try CIDR("8.8.8.8")], own: [address])
        #expect(open.refusal(of: address, port: 80) == nil)
        #expect(AddressPolicy().own.contains(try #require(IPAddress("127.0.0.1"))))
    }

    @Test("public addresses are dialled on the web's ports, allowed ones on any")
    func ports() throws {
        #expect(try refusal("8.8.8.8", port: 80) == nil)
        for port in [22, 25, 6379, 8080, 0] {
            #expect(try refusal("8.8.8.8", port: port) == "port \(port) is not one that media is served from")
            #expect(try refusal("8.8.8.8", port: port, allowing: "8.8.8.8") == nil)
        }
    }
}

extension SpecialRange: CustomTestStringConvertible {
    package var testDescription: String { "\(block), \(name) (\(source))" }
}
