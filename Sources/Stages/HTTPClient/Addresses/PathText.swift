/// The path of a URL, and the ways in which servers may read it. They read bytes, and so does this: for Swift a slash with a
/// combining character is another character.
package struct PathText: Equatable {
    private let bytes: [UInt8]

    /// The number of times that a path may be encoded. Paths with more layers are nobody's.
    private static let layerLimit = 4
    private static let slash = UInt8(ascii: "/")

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the path of a folder.
    package static func path(of folders: [String]) -> String { folders.reduce("/") { "\($0)\($1)/" } }

    /// The text, in which bytes that are not text are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The path with its percent-encoded bytes decoded once.
    package var decoded: PathText {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(code)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return PathText(bytes: decoded)
    }

    /// A Boolean value that indicates whether the path is text without control characters.
    package var isPlainText: Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: bytes, as: UTF8.self) != nil
    }

    /// The names between the slashes, as they stand.
    package var names: [String] { bytes.split(separator: Self.slash).map { String(decoding: $0, as: UTF8.self) } }

    /// The names between the slashes, with `.` and `..` followed and without empty ones.
    package var segments: [String] {
        var segments: [String] = []
        for name in names {
            switch name {
            case ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(name)
            }
        }
        return segments
    }

    /// Returns whether every server reads this as a path below `folders`: it begins with them as it stands and in every
    /// layer of its code, and never leads out of them in between.
    package func isAlwaysBelow(_ folders: [String]) -> Bool {
        guard bytes.starts(with: Self.path(of: folders).utf8) else { return false }
        var layer = self
        for _ in 0..<Self.layerLimit {
            // Bytes that are no text are read as other characters by some servers.
            guard layer.isPlainText, layer.folders(below: folders) != nil else { return false }
            let next = layer.decoded
            guard next != layer else { return true }
            layer = next
        }
        return false
    }

    /// Returns the path's folders, read in the way that leads upwards the most: a backslash is a slash, empty names and
    /// everything after a semicolon do not count. Returns `nil` if they are not below `folders`, at the end or in between.
    package func folders(below folders: [String]) -> [String]? {
        let slashed = bytes.map { $0 == UInt8(ascii: "\\") ? Self.slash : $0 }
        var names: [String] = []
        for segment in slashed.split(separator: Self.slash) {
            let name = String(decoding: segment.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            switch name {
            case "", ".": continue
            case "..":
                guard names.count > folders.count else { return nil }
                names.removeLast()
            default:
                guard names.count >= folders.count || name.utf8.elementsEqual(folders[names.count].utf8) else {
                    return nil
                }
                names.append(name)
            }
        }
        guard names.count >= folders.count else { return nil }
        return slashed.last == Self.slash ? names : Array(names.dropLast())
    }
}
