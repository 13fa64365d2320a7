/// Metadata in XML: ISO 16684-1.
enum XMPData {
    /// The most bytes that are searched. Longer data have pictures in them.
    private static let byteLimit = 1 << 18
    private static let name = Array("tiff:Orientation".utf8)

    /// Returns the value of the orientation, as an attribute or as an element: XMP specification, part 2, section 8.3.
    static func orientation(in bytes: [UInt8]) -> Int? {
        let bytes = bytes.prefix(byteLimit)
        guard let start = bytes.firstRange(of: name) else { return nil }
        // `="6"`, `='6'`, or `>6<`, perhaps with spaces.
        let rest = bytes[start.upperBound...].prefix(16).drop { "= \t\r\n\"'>".utf8.contains($0) }
        guard let digit = rest.first, let end = rest.dropFirst().first, (0x31...0x38).contains(digit),
            !(0x30...0x39).contains(end)
        else { return nil }
        return Int(digit) - 0x30
    }
}
