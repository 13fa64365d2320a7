import Downloads
import HTTPClient
import Testing

@Suite("Addresses and blocks")
struct IPAddressTests {
    @Test(
        "an address is read, and written in its usual form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::", "::"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
        ],
    )
    func reading(text: String, canonical: String) throws {
        #expect(try #require(IPAddress(text)).description == canonical)
    }

    @Test(
        "an ambiguous or malformed address is not read",
        arguments: [
            "", " 192.0.2.1", "192.0.2.1 ", "127.1", "0", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "010.0.0.1",
            "256.0.0.1", "192.0.2", "192.0.2.1.5", "192.0.2.1:80", "[::1]", "::1%eth0", "fe80::1%1", ":::", "1::2::3",
            "g::", "12345::", "example.com",
        ],
    )
    func notAnAddress(text: String) { #expect(IPAddress(text) == nil) }

    @Test("a block is read, and an address alone is a block of one address")
    func blocks() throws {
        #expect(try CIDR("10.0.0.0/8").description == "10.0.0.0/8")
        #expect(try CIDR("192.0.2.7").description == "192.0.2.7/32")
        #expect(try CIDR("fd00::/8").prefixLength == 8)
        #expect(try CIDR("::1").prefixLength == 128)
        #expect(try CIDR("0.0.0.0/0").contains(#require(IPAddress("203.0.113.9"))))
        #expect(try CIDR("::/0").contains(#require(IPAddress("2001:db8::1"))))
    }

    @Test("a block contains the addresses from its first to its last, of its own family")
    func containment() throws {
        let block = try CIDR("172.16.0.0/12")
        for inside in ["172.16.0.0", "172.20.1.2", "172.31.255.255"] {
            #expect(block.contains(try #require(IPAddress(inside))))
        }
        for outside in ["172.15.255.255", "172.32.0.0", "::172.16.0.0"] {
            #expect(!block.contains(try #require(IPAddress(outside))))
        }
    }

    @Test(
        "a malformed block is refused with the right form",
        arguments: [
            ("10/8", "\"10/8\" is not an address block. Write one like 10.0.0.0/8 or fd00::/8."),
            ("private", "\"private\" is not an address block. Write one like 10.0.0.0/8 or fd00::/8."),
            ("", "\"\" is not an address block. Write one like 10.0.0.0/8 or fd00::/8."),
            ("10.0.0.0/", "\"10.0.0.0/\" has an invalid prefix length. Write a number from 0 to 32 after the slash."),
            (
                "10.0.0.0/33",
                "\"10.0.0.0/33\" has an invalid prefix length. Write a number from 0 to 32 after the slash.",
            ),
            (
                "10.0.0.0/+8",
                "\"10.0.0.0/+8\" has an invalid prefix length. Write a number from 0 to 32 after the slash.",
            ),
            (
                "10.0.0.0/8/8",
                "\"10.0.0.0/8/8\" has an invalid prefix length. Write a number from 0 to 32 after the slash.",
            ),
            (
                "fd00::/129",
                "\"fd00::/129\" has an invalid prefix length. Write a number from 0 to 128 after the slash.",
            ),
            ("10.0.0.7/8", "\"10.0.0.7/8\" has bits after its prefix. Write 10.0.0.0/8 for the whole block."),
        ],
    )
    func wrongBlocks(text: String, message: String) {
        #expect(throws: CIDR.ParseError(message)) { try CIDR(text) }
    }
}
