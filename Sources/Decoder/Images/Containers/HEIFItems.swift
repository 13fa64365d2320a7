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
    /// A Boolean value that indicates whether the primary picture's colours are multiplied by its alpha channel: ISO/IEC
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
