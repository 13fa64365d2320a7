import DecoderWire
import Media

/// The codings of all pictures in a HEIF file, whichever of them a decoder would choose: ISO/IEC 23008-12, section 9.3,
/// and ISO/IEC 14496-12, section 8.11.6.
struct HEIFCodecs {
    /// The most bytes of one `meta` box, and the most boxes of the file.
    private static let byteLimit = 1 << 20
    private static let boxLimit = 64

    /// The types of items and of their properties that tell a codec.
    private static let codecs: [String: MediaCodec] = [
        "hvc1": .hevc, "lhv1": .hevc, "hvcC": .hevc, "lhvC": .hevc,
        "av01": .av1, "av1C": .av1,
        "avc1": .h264, "avcC": .h264,
        "mjpg": .mjpeg,
    ]

    private var types: Set<String> = []
    /// A Boolean value that indicates whether the file lists its pictures, and all lists were read.
    private var isKnown = false
    private let source: any SourceBytes

    init(of source: any SourceBytes) { self.source = source }

    /// Throws if a picture of the file has a coding that is switched off. Also throws if one of these is off and the
    /// file doesn't tell its codings, because a decoder may find more in it.
    consuming func check(against disabled: DisabledFormats) throws(DecodeError) {
        let isConcerned = Self.codecs.values.contains(where: disabled.refuses) || disabled.formats.contains(.jpeg)
        guard isConcerned else { return }
        isKnown = readBoxes() && isKnown
        let isOff = types.contains { Self.codecs[$0].map(disabled.refuses) == true }
        guard isKnown, !isOff, !(types.contains("jpeg") && disabled.formats.contains(.jpeg)) else {
            throw DecodeError.disabled("the coding of a picture")
        }
    }

    /// Reads every `meta` box of the file, because readers differ in which of them counts. Returns `false` if the boxes
    /// don't end with the file.
    private mutating func readBoxes() -> Bool {
        var offset = 0
        for _ in 0..<Self.boxLimit {
            guard let start = source.bytes(at: offset, count: 8) else { return true }
            var reader = ContainerReader(start)
            guard var length = reader.bigEndian(4), let type = reader.take(4) else { return false }
            var headerLength = 8
            if length == 1 {
                guard let long = source.bytes(at: offset + 8, count: 8) else { return false }
                var reader = ContainerReader(long)
                guard let value = reader.bigEndian(8) else { return false }
                (length, headerLength) = (value, 16)
            }
            let isMeta = type.elementsEqual("meta".utf8)
            // Such a box reaches to the end of the file.
            if length == 0 { return !isMeta }
            guard length >= headerLength, length < Int.max - offset else { return false }
            if isMeta {
                let start = offset + headerLength + 4
                guard length <= Self.byteLimit, length >= headerLength + 4,
                    let content = source.bytes(at: start, count: offset + length - start)
                else { return false }
                read(content[...])
            }
            offset += length
        }
        return false
    }

    private mutating func read(_ meta: ArraySlice<UInt8>) {
        var boxes = BoxReader(meta)
        while let box = boxes.next() {
            switch box.type {
            case "iinf": readItems(box.content)
            case "iprp": readProperties(box.content)
            default: break
            }
        }
    }

    private mutating func readItems(_ content: ArraySlice<UInt8>) {
        // A version of four bytes with the flags, and the number of items, of which nothing is believed.
        guard let version = content.first else { return }
        isKnown = true
        var items = BoxReader(content.dropFirst(version == 0 ? 6 : 8))
        while let item = items.next() {
            guard item.type == "infe" else { continue }
            var reader = ContainerReader(item.content)
            guard let version = reader.bigEndian(4).map({ $0 >> 24 }), version >= 2,
                reader.take(version == 2 ? 4 : 6) != nil, let type = reader.take(4)
            else {
                isKnown = false
                return
            }
            types.insert(String(decoding: type, as: UTF8.self))
        }
    }

    private mutating func readProperties(_ content: ArraySlice<UInt8>) {
        var boxes = BoxReader(content)
        while let box = boxes.next() {
            guard box.type == "ipco" else { continue }
            var properties = BoxReader(box.content)
            while let property = properties.next() { types.insert(property.type) }
        }
    }
}
