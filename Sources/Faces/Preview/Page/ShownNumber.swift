/// Numbers as a person reads them; units are decimal.
enum ShownNumber {
    /// `4,096`
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)[...]
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// `812 bytes`, `48.2 kB`, `1.4 MB`
    static func size(_ byteCount: Int) -> String {
        switch byteCount {
        case ..<1000: "\(byteCount) bytes"
        case ..<1_000_000: "\(tenths(byteCount, of: 1000)) kB"
        default: "\(tenths(byteCount, of: 1_000_000)) MB"
        }
    }

    /// `312 ms`, `24.7 s`
    static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1000 ? "\(milliseconds) ms" : "\(tenths(milliseconds, of: 1000)) s"
    }

    private static func tenths(_ number: Int, of unit: Int) -> String {
        // Without a product of the whole number, which may be any.
        let part = (number % unit * 10 + unit / 2) / unit
        let (whole, tenths) = (number / unit + part / 10, part % 10)
        return tenths == 0 ? "\(whole)" : "\(whole).\(tenths)"
    }
}
