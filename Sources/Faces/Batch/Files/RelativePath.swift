/// A path below a folder, as bytes of the file system, because names need not be UTF-8.
package struct RelativePath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The folder itself.
    static let root = RelativePath([])
    private static let slash = UInt8(ascii: "/")

    var isRoot: Bool { bytes.isEmpty }
    var components: [[UInt8]] { bytes.split(separator: Self.slash).map(Array.init) }

    /// A Boolean value that indicates whether the path stays below its folder.
    var staysBelow: Bool {
        !bytes.isEmpty && bytes.first != Self.slash && !bytes.contains(0)
            && components.allSatisfy { $0 != Array("..".utf8) && $0 != Array(".".utf8) }
    }

    /// The last component.
    var name: [UInt8] { components.last ?? [] }

    /// The path of the enclosing folder.
    var parent: RelativePath {
        RelativePath(Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]))
    }

    func appending(_ name: [UInt8]) -> RelativePath {
        RelativePath(isRoot ? name : bytes + [Self.slash] + name)
    }

    /// The path for display. Bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The path for a URL (RFC 3986). All characters except unreserved ones and slashes are escaped.
    var urlText: String {
        var text = ""
        for byte in bytes {
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~/".contains(character) {
                text.append(character)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }

    package static func < (left: RelativePath, right: RelativePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
