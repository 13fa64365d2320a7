import DecoderWire
import Media

/// The properties of a HEIF file's primary picture that libvips doesn't tell: ISO/IEC 23008-12.
struct HEIFHeader {
    /// The most bytes of the box with all properties. A picture of a thousand tiles has about 30,000.
    private static let byteLimit = 1 << 20
    /// The most bytes of a sequence header, and of the name of an auxiliary picture's type.
    private static let sequenceLimit = 256
    /// The most boxes before it.
    private static let boxLimit = 32

    /// The colors by the numbers of ITU-T H.273: ISO/IEC 14496-12, section 12.1.5.
    private var numbers: Numbers?
    /// The colors in the coded picture itself, which count if the container has none.
    private var codedNumbers: Numbers?
    /// A Boolean value that indicates whether the coded picture has only brightness.
    private var isMonochrome = false

    /// A Boolean value that indicates whether the colors are multiplied by alpha. libvips 8.14 leaves them so.
    let isPremultiplied: Bool
    /// A Boolean value that indicates whether the picture is made of tiles, which are decoded one after the other.
    let isTiled: Bool
    /// The turn that the picture needs, if libheif does not apply it. `nil` if it does.
    private(set) var turn: PictureTurn?
    /// The bytes of the file to change so that libheif does not turn the picture, by position.
    private var changes: [Int: UInt8] = [:]

    private typealias Numbers = (primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool)

    /// The matrices that libheif applies, with unspecified ones: ITU-T H.273, table 4. It takes all others for BT.601.
    private static let matrices: Set = [0, 1, 2, 4, 5, 6, 7, 9, 12]
    /// YCgCo, which libheif applies in the full range only.
    private static let yCgCo = 8

    /// Returns `nil` if the file has no primary picture with properties.
    init?(of source: any SourceBytes) {
        guard let (meta, start) = Self.meta(of: source), let items = HEIFItems(meta) else { return nil }
        isPremultiplied = items.isPremultiplied
        isTiled = items.firstTile != nil
        // A grid's tiles have the properties of its colors, if it has none itself.
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
                let primaries = reader.bigEndian(2), let transfer = reader.bigEndian(2),
                let matrix = reader.bigEndian(2), let range = reader.byte()
            else { return }
            numbers = (primaries, transfer, matrix, range & 0x80 != 0)
        case "av1C":
            guard reader.take(2) != nil, let flags = reader.byte(), reader.byte() != nil else { return }
            isMonochrome = flags & 0x10 != 0
            guard codedNumbers == nil, let sequence = AV1Sequence(Array(reader.rest().prefix(Self.sequenceLimit)))
            else {
                return
            }
            codedNumbers = (sequence.primaries, sequence.transfer, sequence.matrix, sequence.isFullRange)
        case "hvcC":
            // The chroma format: ISO/IEC 14496-15, section 8.3.2.1.
            guard reader.take(16) != nil, let format = reader.byte() else { return }
            isMonochrome = format & 3 == 0
        default: break
        }
    }

    /// Returns the coding of the values as libheif gives them: it applies the matrix and, except to monochrome pictures,
    /// the range. `nil` if it is sRGB. With `hasProfile`, the picture's color profile says what its colors are.
    func coding(hasProfile: Bool) -> ColorCoding? {
        guard let numbers = numbers ?? codedNumbers else { return nil }
        let coding = ColorCoding(
            primaries: hasProfile ? 1 : numbers.primaries,
            transfer: hasProfile ? 13 : numbers.transfer,
            hasHeadroom: isMonochrome && !numbers.isFullRange,
        )
        return coding.isStandard ? nil : coding
    }

    /// Throws if libheif would show other colors.
    func check() throws(DecodeError) {
        guard let numbers = numbers ?? codedNumbers, !isMonochrome, !Self.matrices.contains(numbers.matrix),
            numbers.matrix != Self.yCgCo || !numbers.isFullRange
        else { return }
        throw DecodeError(.unsupportedFormat, "matrix \(numbers.matrix)", cause: .colors)
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

/// A rotation, and then perhaps an exchange of left and right.
struct PictureTurn {
    /// The number of quarters of a turn, clockwise.
    private var quarters = 0
    private var isMirrored = false

    init() {}

    /// Rotates clockwise, by a negative number of quarters anticlockwise.
    mutating func rotate(quarters count: Int) { quarters += isMirrored ? -count : count }

    /// Exchanges left and right, or top and bottom.
    mutating func mirror(swapsSides: Bool) {
        if !swapsSides { quarters += 2 }
        isMirrored.toggle()
    }

    /// The EXIF orientation that means the same, from 1 to 8.
    var orientation: Int { (isMirrored ? [2, 5, 4, 7] : [1, 6, 3, 8])[quarters & 3] }
}

/// A source of which a few bytes differ.
final class ChangedBytes: SourceBytes {
    private let source: any SourceBytes
    /// The new bytes by position.
    private let changes: [Int: UInt8]

    init(of source: any SourceBytes, _ changes: [Int: UInt8]) {
        self.source = source
        self.changes = changes
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe source.read(at: offset, into: buffer)
        for (position, byte) in changes where position >= offset && position - offset < count {
            unsafe buffer[position - offset] = byte
        }
        return count
    }

    func expect(_ ranges: [Range<Int>]) { source.expect(ranges) }

    func waitForEnd() -> Int { source.waitForEnd() }

    var size: Int? { source.size }
    var isWhole: Bool { source.isWhole }
    var isCut: Bool { source.isCut }
    var timeWillExpire: Bool { source.timeWillExpire }
}

// MARK: - Items

/// The pictures of a HEIF file with their properties: ISO/IEC 23008-12, section 9.3, and ISO/IEC 14496-12, section 8.11.
struct HEIFItems {
    /// The most properties of an item, and the most auxiliary pictures: files have ten and three. A hostile one could name
    /// the same a million times.
    private static let propertyLimit = 64
    private static let auxiliaryLimit = 16

    let primary: Int
    /// The first tile of a primary picture that is made of tiles.
    private(set) var firstTile: Int?
    /// The auxiliary pictures of the primary one, such as its alpha channel.
    private(set) var auxiliaries: [Int] = []
    /// A Boolean value that indicates whether the primary picture's colors are multiplied by its alpha channel: ISO/IEC
    /// 23008-12, section 6.10.1.2.
    private(set) var isPremultiplied = false
    private var properties: [Box] = []
    private var associations: [Int: [Association]] = [:]

    /// The place where the file says that an item has a property.
    struct Association {
        /// The property's number, from 1 on.
        let number: Int
        /// The indices in the `meta` box of the number, the first bit of which says whether a reader must know it.
        let place: Range<Int>
    }

    /// Returns `nil` if `meta` doesn't name a primary picture with properties.
    init?(_ meta: [UInt8]) {
        var boxes = BoxReader(meta[...])
        guard let primary = boxes.first("pitm").flatMap(Self.identifier) else { return nil }
        self.primary = primary
        boxes = BoxReader(meta[...])
        while let box = boxes.next() {
            switch box.type {
            case "iref": addReferences(box.content)
            case "iprp": addProperties(box.content)
            default: break
            }
        }
        guard !properties(of: primary).isEmpty else { return nil }
    }

    func properties(of item: Int) -> [Box] { associated(with: item).map(\.property) }

    /// Returns an item's properties in their order, with the places where the file gives them to it.
    func associated(with item: Int) -> [(property: Box, association: Association)] {
        associations[item, default: []].compactMap { association in
            let index = association.number - 1
            return properties.indices.contains(index) ? (properties[index], association) : nil
        }
    }

    private static func identifier(_ content: ArraySlice<UInt8>) -> Int? {
        var reader = ContainerReader(content)
        guard let version = reader.bigEndian(4).map({ $0 >> 24 }) else { return nil }
        return reader.bigEndian(version == 0 ? 2 : 4)
    }

    private mutating func addReferences(_ content: ArraySlice<UInt8>) {
        guard let width = content.first.map({ $0 == 0 ? 2 : 4 }) else { return }
        var boxes = BoxReader(content.dropFirst(4))
        while let box = boxes.next() {
            var reader = ContainerReader(box.content)
            guard let from = reader.bigEndian(width), reader.bigEndian(2) != nil, let to = reader.bigEndian(width)
            else {
                continue
            }
            if box.type == "dimg", from == primary { firstTile = firstTile ?? to }
            if box.type == "prem", from == primary { isPremultiplied = true }
            if box.type == "auxl", to == primary, auxiliaries.count < Self.auxiliaryLimit, !auxiliaries.contains(from) {
                auxiliaries.append(from)
            }
        }
    }

    private mutating func addProperties(_ content: ArraySlice<UInt8>) {
        var boxes = BoxReader(content)
        while let box = boxes.next() {
            switch box.type {
            case "ipco":
                var list = BoxReader(box.content)
                while let property = list.next() { properties.append(property) }
            case "ipma": associate(box.content)
            default: break
            }
        }
    }

    private mutating func associate(_ content: ArraySlice<UInt8>) {
        var reader = ContainerReader(content)
        guard let versionAndFlags = reader.bigEndian(4), let count = reader.bigEndian(4) else { return }
        let hasLongNumbers = versionAndFlags & 1 == 1
        for _ in 0..<count {
            guard let item = reader.bigEndian(versionAndFlags >> 24 == 0 ? 2 : 4), let numbers = reader.byte() else {
                return
            }
            for _ in 0..<numbers {
                let start = reader.position
                guard let number = reader.bigEndian(hasLongNumbers ? 2 : 1) else { return }
                let association = Association(
                    number: number & (hasLongNumbers ? 0x7FFF : 0x7F),
                    place: start..<reader.position,
                )
                guard associations[item, default: []].count < Self.propertyLimit else { continue }
                associations[item, default: []].append(association)
            }
        }
    }
}
