/// A path below a folder, as the bytes that the file system has: names need not be UTF-8.
package struct RelativePath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The folder itself.
    static let root = RelativePath([])
    private static let slash = UInt8(ascii: "/")

    var isRoot: Bool { bytes.isEmpty }
    var components: [[UInt8]] { bytes.split(separator: Self.slash).map(Array.init) }

    /// A Boolean value that indicates whether the path leads to something below its folder and nowhere else.
    var staysBelow: Bool {
        !bytes.isEmpty && bytes.first != Self.slash && !bytes.contains(0)
            && components.allSatisfy { $0 != Array("..".utf8) && $0 != Array(".".utf8) }
    }

    /// The last component.
    var name: [UInt8] { components.last ?? [] }

    /// The folder that it is in.
    var parent: RelativePath {
        RelativePath(Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]))
    }

    func appending(_ name: [UInt8]) -> RelativePath {
        RelativePath(isRoot ? name : bytes + [Self.slash] + name)
    }

    /// The same with `.` and `pathExtension` at its end.
    func appending(pathExtension: String) -> RelativePath {
        RelativePath(bytes + [UInt8(ascii: ".")] + Array(pathExtension.utf8))
    }

    /// For people: what is no UTF-8 is replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// As it stands in a URL (RFC 3986): everything but unreserved characters and slashes is escaped.
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
