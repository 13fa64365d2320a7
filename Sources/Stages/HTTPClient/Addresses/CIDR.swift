package import Names

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
