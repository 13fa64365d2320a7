/// A block of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct CIDR: Hashable, Sendable, CustomStringConvertible {
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package let base: IPAddress
    package let prefixLength: Int

    /// Reads `ADDRESS/LENGTH`, or an `ADDRESS` that stands for itself. Bits after the prefix have to be zero, because
    /// whoever writes `10.0.0.7/8` may have meant less than it says.
    package init(_ text: String) throws(ParseError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else {
            let message = "\"\(text)\" is no address block; write one like 10.0.0.0/8 or fd00::/8."
            throw ParseError(message)
        }
        let longest = address.family.bitCount
        guard parts.count == 2 else {
            self.init(base: address, prefixLength: longest)
            return
        }
        guard let length = Self.length(parts[1]), length <= longest else {
            let message = "\"\(text)\" has no prefix length; after the slash comes a number from 0 to \(longest)."
            throw ParseError(message)
        }
        let block = CIDR(base: address, prefixLength: length)
        guard block.base == address else {
            throw ParseError("\"\(text)\" has bits after its prefix; the block is \(block).")
        }
        self = block
    }

    /// The block of that length around `base`.
    private init(base: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        let hostBits = base.family.bitCount - prefixLength
        let bits = (base.bits >> hostBits) << hostBits
        self.base = base.family == .v4 ? IPAddress(v4: UInt32(bits)) : IPAddress(v6: bits)
    }

    /// Every address there is: for what the operator names, and nobody else.
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
