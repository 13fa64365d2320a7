/// A reader that goes through a container's bytes from first to last. Every step can fail, and none can trap.
struct ContainerReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next `count` bytes; `nil` if there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    /// Returns a number of `count` bytes, most significant byte first.
    mutating func bigEndian(_ count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the bytes before the next `stop` byte; `nil` if there is no such byte.
    mutating func take(upTo stop: UInt8) -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: stop) else { return nil }
        defer { position = end }
        return bytes[position..<end]
    }

    /// Returns the byte `distance` after the next one.
    func peek(_ distance: Int = 0) -> UInt8? {
        distance < bytes.count - position ? bytes[position + distance] : nil
    }
}
