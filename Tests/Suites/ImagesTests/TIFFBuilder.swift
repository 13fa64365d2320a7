/// A TIFF of one strip that is not compressed, with 8 bits a value.
struct TIFFBuilder {
    static let side = 16

    var isBigEndian = false
    /// The type of each field: 3 for two bytes, 4 for four.
    var type = 3
    var bands = 3
    var interpretation = 2
    /// The number of bits that the directory gives.
    var bits = 8
    var more: [Int: Int] = [:]

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// Returns the file, all of whose pixels have these values.
    func bytes(_ pixel: [UInt8]) -> [UInt8] {
        let size = Self.side * Self.side * bands
        var fields = [
            256: Self.side, 257: Self.side, 259: 1, 262: interpretation, 273: 8, 277: bands, 278: Self.side, 279: size,
        ]
        fields.merge(more) { $1 }
        var directory = number(fields.count + 1, 2)
        for (tag, value) in (fields.map { ($0, $1) } + [(258, 0)]).sorted(by: { $0.0 < $1.0 }) {
            // The bits of each band stand behind the directory, where they are more than four bytes.
            let isBits = tag == 258
            let kind = isBits ? 3 : type
            directory += number(tag, 2) + number(kind, 2) + number(isBits ? bands : 1, 4)
            let place = 8 + size + 2 + 12 * (fields.count + 1) + 4
            if isBits, bands <= 2 {
                directory += number(bits, 2) + (bands == 2 ? number(bits, 2) : [0, 0])
            } else {
                directory += isBits || kind == 4 ? number(isBits ? place : value, 4) : number(value, 2) + [0, 0]
            }
        }
        directory += number(0, 4)
        for _ in 0..<bands { directory += number(bits, 2) }
        let start: [UInt8] = isBigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
        let pixels = Array(repeatElement(pixel, count: Self.side * Self.side).joined())
        return start + number(8 + size, 4) + pixels + directory
    }
}
