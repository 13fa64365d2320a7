import Media
import Values

extension ClippingRectangle {
    /// The rectangle as an object whose numbers have three decimals, rounded down so that it stays within the picture.
    var json: JSONValue {
        ["x": Self.number(x), "y": Self.number(y), "width": Self.number(width), "height": Self.number(height)]
    }

    private static func number(_ fraction: Double) -> JSONValue {
        // Decimals such as 0.7 lie a little below in binary.
        let thousandths = Int(clamping: (fraction * 1000 + 0.000_001).rounded(.down))
        guard thousandths > 0 else { return 0 }
        guard thousandths < 1000 else { return 1 }
        var digits = String(thousandths + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return .number("0.\(digits)")
    }
}
