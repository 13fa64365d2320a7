/// Sizes as people write them in options: `500kB`, `2MB`, `1.5GB`. Units are decimal.
package enum ByteSizeText {
    /// The units, of those with a common ending the longest first: `B` comes last.
    private static let units: [(suffix: String, bytes: Double)] = [
        ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1),
    ]

    /// Returns the size in bytes, or `nil` if `text` is not a size: a negative or missing number, or a missing unit.
    package static func parse(_ text: String) -> Int? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), number * unit.bytes < 1e16
        else { return nil }
        return Int(clamping: number * unit.bytes)
    }
}
