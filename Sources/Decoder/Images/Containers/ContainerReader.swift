/// A reader that goes through a container's bytes from first to last. Every step can fail, and none can trap.
struct ContainerReader {
    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    private(set) var position: Int

    /// Creates a reader of part of a file. What it returns keeps its indices.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Returns the next `count` bytes; `nil` if there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Returns all bytes that are left.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    /// Returns a number of `count` bytes, most significant byte first.
    mutating func bigEndian(_ count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// Returns a number of `count` bytes, least significant byte first.
    mutating func littleEndian(_ count: Int) -> Int? { take(count)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the bytes before the next `stop` byte; `nil` if there is no such byte.
    mutating func take(upTo stop: UInt8) -> ArraySlice<UInt8>? {
        guard let end = bytes[position...].firstIndex(of: stop) else { return nil }
        defer { position = end }
        return bytes[position..<end]
    }

    /// Returns the byte `distance` after the next one.
    func peek(_ distance: Int = 0) -> UInt8? {
        distance < bytes.endIndex - position ? bytes[position + distance] : nil
    }
}
