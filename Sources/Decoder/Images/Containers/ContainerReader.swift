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

// MARK: - Boxes

/// A reader of the boxes of one level of an ISO base media file: ISO/IEC 14496-12, section 4.2.
package struct BoxReader {
    private var reader: ContainerReader

    package init(_ content: ArraySlice<UInt8>) { reader = ContainerReader(content) }

    /// Returns the next box; `nil` at the end, or if the box isn't whole.
    package mutating func next() -> Box? {
        guard let length = reader.bigEndian(4), let type = reader.take(4) else { return nil }
        let name = String(decoding: type, as: UTF8.self)
        switch length {
        case 0: return Box(type: name, content: reader.rest())
        case 1:
            guard let length = reader.bigEndian(8), length >= 16 else { return nil }
            return reader.take(length - 16).map { Box(type: name, content: $0) }
        default: return reader.take(length - 8).map { Box(type: name, content: $0) }
        }
    }

    /// Returns the content of the first box of a type from here on.
    package mutating func first(_ type: String) -> ArraySlice<UInt8>? {
        while let box = next() { if box.type == type { return box.content } }
        return nil
    }
}

package struct Box {
    package let type: String
    package let content: ArraySlice<UInt8>
}
