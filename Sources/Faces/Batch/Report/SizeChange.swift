import Values

/// The change from a file's size to that of its output.
package struct SizeChange {
    /// The saved share in percent, without decimals. It is negative if the output is larger.
    let saved: Int
    package let isGrowth: Bool
    /// The amount, such as `93 %`, `under 1 %` or `grew 12 %`.
    package let text: String

    /// Creates the change. Returns `nil` for an empty file.
    package init?(from before: Int, to after: Int) {
        guard before > 0 else { return nil }
        let share = (Double(before) - Double(after)) * 100 / Double(before)
        // Towards zero, so that "100 %" always means that nothing is left.
        saved = Int(clamping: share.rounded(.towardZero))
        isGrowth = after > before
        let amount = saved == 0 && after != before ? "under 1 %" : "\(saved.magnitude) %"
        text = isGrowth ? "grew \(amount)" : amount
    }

    var context: [String: Any] { ["text": text, "isGrowth": isGrowth] }

    /// Formats a size as `74 kB`.
    package static func size(_ byteCount: Int) -> String {
        for (unit, bytes) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where Double(byteCount) >= bytes {
            let number = Double(byteCount) / bytes
            return "\(number < 10 ? number.tenths : "\(Int(clamping: number.rounded()))") \(unit)"
        }
        return "\(byteCount) bytes"
    }
}
