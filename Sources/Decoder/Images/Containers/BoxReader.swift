/// A reader of the boxes of one level of an ISO base media file: ISO/IEC 14496-12, section 4.2.
struct BoxReader {
    private var reader: ContainerReader

    init(_ content: ArraySlice<UInt8>) { reader = ContainerReader(content) }

    /// Returns the next box; `nil` at the end, or if the box isn't whole.
    mutating func next() -> Box? {
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
    mutating func first(_ type: String) -> ArraySlice<UInt8>? {
        while let box = next() { if box.type == type { return box.content } }
        return nil
    }
}

struct Box {
    let type: String
    let content: ArraySlice<UInt8>
}
