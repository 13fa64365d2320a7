package import Glibc

/// An IPv4 or IPv6 address as a number, without port or zone.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Family: Sendable {
        case v4, v6

        package var bitCount: Int { self == .v4 ? 32 : 128 }
    }

    package let family: Family
    /// The bits in host order. An IPv4 address fills the lowest 32 bits.
    package let bits: UInt128

    package init(v4 bits: UInt32) {
        family = .v4
        self.bits = UInt128(bits)
    }

    package init(v6 bits: UInt128) {
        family = .v6
        self.bits = bits
    }

    /// Reads four decimal numbers without leading zeros (`192.0.2.1`), or IPv6 text as in RFC 4291, section 2.2.
    /// Returns `nil` for everything else: short forms, octal and hexadecimal numbers, brackets, zones, spaces.
    package init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    package init(_ address: in_addr) {
        self.init(v4: UInt32(bigEndian: address.s_addr))
    }

    package init(_ address: in6_addr) {
        let network = unsafe unsafeBitCast(address, to: UInt128.self)
        self.init(v6: UInt128(bigEndian: network))
    }

    /// Reads an address of the kernel or of a C library. Returns `nil` if it is neither IPv4 nor IPv6. The pointer leads
    /// to a whole address of its family.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let start = unsafe UnsafeRawPointer(address)
        switch Int32(unsafe start.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: self.init(unsafe start.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: self.init(unsafe start.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    package var description: String {
        switch family {
        case .v4: Self.text(AF_INET, UInt32(truncatingIfNeeded: bits).bigEndian)
        case .v6: Self.text(AF_INET6, bits.bigEndian)
        }
    }

    /// Returns the address as text. `network` is in network order.
    private static func text(_ family: Int32, _ network: some BitwiseCopyable) -> String {
        var network = network
        return unsafe String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                let size = socklen_t(characters.count)
                guard let text = unsafe inet_ntop(family, &network, characters.baseAddress, size) else { return 0 }
                return unsafe strlen(text)
            }
        }
    }
}
