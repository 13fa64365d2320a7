extension Span<UInt8> {
    /// Returns a number, most significant byte first; `nil` if its bytes are missing or it does not fit into an `Int`.
    func bigEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        return Int(exactly: (0..<byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64(self[offset + $1]) })
    }

    /// Returns a number, least significant byte first; `nil` if its bytes are missing or it does not fit into an `Int`.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        return Int(exactly: (0..<byteCount).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(self[offset + $1]) })
    }
}
