/// Functions that format numbers for reading, with decimal units.
enum ShownNumber {
    /// Formats a number as `4,096`.
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)[...]
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// Formats a size as `812 bytes`, `48.2 kB` or `1.4 MB`.
    static func size(_ byteCount: Int) -> String {
        switch byteCount {
        case ..<1000: "\(byteCount) bytes"
        case ..<1_000_000: "\(tenths(byteCount, of: 1000)) kB"
        default: "\(tenths(byteCount, of: 1_000_000)) MB"
        }
    }

    /// Formats a duration as `312 ms` or `24.7 s`.
    static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1000 ? "\(milliseconds) ms" : "\(tenths(milliseconds, of: 1000)) s"
    }

    private static func tenths(_ number: Int, of unit: Int) -> String {
        // Without multiplying the whole number, which could overflow.
        let part = (number % unit * 10 + unit / 2) / unit
        let (whole, tenths) = (number / unit + part / 10, part % 10)
        return tenths == 0 ? "\(whole)" : "\(whole).\(tenths)"
    }
}
