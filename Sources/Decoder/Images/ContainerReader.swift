/// Walks through a container's bytes from the first to the last; every step can fail, none can trap.
struct ContainerReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next `count` bytes, if there are so many.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    /// A number of `count` bytes, the most significant first.
    mutating func bigEndian(_ count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// The bytes up to the next one that is `stop`, which is not among them, or `nil` if there is none.
    mutating func take(upTo stop: UInt8) -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: stop) else { return nil }
        defer { position = end }
        return bytes[position..<end]
    }

    /// The byte `distance` after the next one.
    func peek(_ distance: Int = 0) -> UInt8? {
        distance < bytes.count - position ? bytes[position + distance] : nil
    }
}
