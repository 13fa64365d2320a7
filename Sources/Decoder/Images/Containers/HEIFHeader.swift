import Colours
import DecoderWire

/// The properties of a HEIF file's primary picture that libvips doesn't tell: ISO/IEC 23008-12.
struct HEIFHeader {
    /// The most bytes of the box with all properties. A picture of a thousand tiles has about 30,000.
    private static let byteLimit = 1 << 20
    /// The most bytes of a sequence header, and of the name of an auxiliary picture's type.
    private static let sequenceLimit = 256
    /// The most boxes before it.
    private static let boxLimit = 32

    /// The colours by the numbers of ITU-T H.273: ISO/IEC 14496-12, section 12.1.5.
    private var numbers: Numbers?
    /// The colours in the coded picture itself, which count if the container has none.
    private var codedNumbers: Numbers?
    /// A Boolean value that indicates whether the coded picture has only brightness.
    private var isMonochrome = false

    /// A Boolean value that indicates whether the colours are multiplied by alpha. libvips 8.14 leaves them so.
    let isPremultiplied: Bool
    /// The turn that the picture needs, if libheif does not apply it. `nil` if it does.
    private(set) var turn: PictureTurn?
    /// The bytes of the file to change so that libheif does not turn the picture, by position.
    private var changes: [Int: UInt8] = [:]

    private typealias Numbers = (primaries: Int, transfer: Int, isFullRange: Bool)

    /// Returns `nil` if the file has no primary picture with properties.
    init?(of source: any SourceBytes) {
        guard let (meta, start) = Self.meta(of: source), let items = HEIFItems(meta) else { return nil }
        isPremultiplied = items.isPremultiplied
        // A grid's tiles have the properties of its colours, if it has none itself.
        for properties in [items.properties(of: items.primary), items.firstTile.map(items.properties)].compactMap(
            \.self
        ) {
            for property in properties { add(property) }
        }
        separateTurn(items, start)
    }

    /// Takes the turn of the picture over from libheif if the alpha channel doesn't have the same. libheif 1.15 leaves
    /// such a channel as it is, or drops it, although it belongs to the picture before the turn.
    private mutating func separateTurn(_ items: HEIFItems, _ start: Int) {
        let turns: Set = ["irot", "imir"]
        let properties = items.associated(with: items.primary)
        guard properties.contains(where: { turns.contains($0.property.type) }),
            let size = properties.first(where: { $0.property.type == "ispe" })?.association.number,
            let alpha = items.auxiliaries.lazy.map(items.properties).first(where: Self.isAlpha),
            !alpha.contains(where: { turns.contains($0.type) })
        else { return }
        var turn = PictureTurn()
        for (property, association) in properties where turns.contains(property.type) {
            let value = property.content.first ?? 0
            if property.type == "irot" {
                turn.rotate(quarters: -Int(value & 3))
            } else {
                turn.mirror(swapsSides: value & 1 == 1)
            }
            // Gives the picture its size once more instead.
            for (index, place) in association.place.reversed().enumerated() {
                changes[start + place] = UInt8(truncatingIfNeeded: size >> (8 * index))
            }
        }
        self.turn = turn
    }

    /// Returns `true` for the properties of an alpha channel: ISO/IEC 23000-22, section 7.3.5.2.
    private static func isAlpha(_ properties: [Box]) -> Bool {
        properties.contains { property in
            let name = property.content.prefix(sequenceLimit)
            return property.type == "auxC"
                && (name.contains("auxiliary:alpha".utf8) || name.contains("hevc:2015:auxid:1".utf8))
        }
    }

    /// Returns the file as libheif must see it.
    func adapted(_ source: any SourceBytes) -> any SourceBytes {
        changes.isEmpty ? source : ChangedBytes(of: source, changes)
    }

    private mutating func add(_ property: Box) {
        var reader = ContainerReader(property.content)
        switch property.type {
        case "colr":
            guard numbers == nil, reader.take(4)?.elementsEqual("nclx".utf8) == true,
                let primaries = reader.bigEndian(2), let transfer = reader.bigEndian(2), reader.take(2) != nil,
                let range = reader.byte()
            else { return }
            numbers = (primaries, transfer, range & 0x80 != 0)
        case "av1C":
            guard reader.take(2) != nil, let flags = reader.byte(), reader.byte() != nil else { return }
            isMonochrome = flags & 0x10 != 0
            guard codedNumbers == nil, let sequence = AV1Sequence(Array(reader.rest().prefix(Self.sequenceLimit)))
            else {
                return
            }
            codedNumbers = (sequence.primaries, sequence.transfer, sequence.isFullRange)
        case "hvcC":
            // The chroma format: ISO/IEC 14496-15, section 8.3.2.1.
            guard reader.take(16) != nil, let format = reader.byte() else { return }
            isMonochrome = format & 3 == 0
        default: break
        }
    }

    /// Returns the coding of the values as libheif gives them: it applies the matrix and, except to monochrome pictures,
    /// the range. `nil` if it is sRGB. With `hasProfile`, the picture's colour profile says what its colours are.
    func coding(hasProfile: Bool) -> ColourCoding? {
        guard let numbers = numbers ?? codedNumbers else { return nil }
        let coding = ColourCoding(
            primaries: hasProfile ? 1 : numbers.primaries,
            transfer: hasProfile ? 13 : numbers.transfer,
            hasHeadroom: isMonochrome && !numbers.isFullRange,
        )
        return coding.isStandard ? nil : coding
    }

    /// Returns the content of the `meta` box, and its position in the file.
    private static func meta(of source: any SourceBytes) -> (content: [UInt8], start: Int)? {
        var offset = 0
        for _ in 0..<boxLimit {
            guard let start = source.bytes(at: offset, count: 8) else { return nil }
            var reader = ContainerReader(start)
            guard var length = reader.bigEndian(4), let type = reader.take(4) else { return nil }
            var headerLength = 8
            if length == 1, let long = source.bytes(at: offset + 8, count: 8) {
                var reader = ContainerReader(long)
                guard let value = reader.bigEndian(8) else { return nil }
                (length, headerLength) = (value, 16)
            }
            guard length >= headerLength, length < Int.max - offset else { return nil }
            if type.elementsEqual("meta".utf8) {
                // The content of a full box follows its version and flags.
                guard length <= byteLimit, length >= headerLength + 4 else { return nil }
                let start = offset + headerLength + 4
                return source.bytes(at: start, count: offset + length - start).map { ($0, start) }
            }
            offset += length
        }
        return nil
    }
}
