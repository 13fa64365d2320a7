/// A reader for the media type that an origin declares.
enum DeclaredType {
    /// The most bytes of a media type. RFC 6838, section 4.2, allows 127 characters on each side of the slash; the
    /// registered names of media are shorter.
    private static let byteLimit = 127

    /// Returns `type/subtype` in lower case, without parameters, or `nil` if the header is not a media type (RFC 9110,
    /// section 8.3.1).
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

    /// Returns whether `byte` is one of RFC 6838's restricted-name-chars, in lower case.
    private static func isRestrictedNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }
}
