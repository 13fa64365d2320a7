/// Reads what an origin says its body is.
enum DeclaredType {
    /// RFC 6838, section 4.2, allows 127 characters on each side of the slash; the registered names of media are shorter.
    private static let byteLimit = 127

    /// `type/subtype` in lower case, without parameters; `nil` for what is none (RFC 9110, section 8.3.1).
    static func essence(of header: String) -> String? {
        guard let start = header.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
        else { return nil }
        let essence = start.drop { $0 == " " }.prefix { $0 != " " }.lowercased()
        let names = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard essence.utf8.count <= byteLimit, names.count == 2,
            names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isRestrictedNameByte) })
        else { return nil }
        return essence
    }

    /// RFC 6838's restricted-name-chars, lower case.
    private static func isRestrictedNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }
}
