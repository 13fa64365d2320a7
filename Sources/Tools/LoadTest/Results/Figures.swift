import Foundation
import Media

extension Double {
    /// The number with at most three decimal places, without trailing zeros.
    package var short: String {
        var text = String(format: "%.3f", self)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// The number with at most two decimal places.
    package var brief: String { ((self * 100).rounded() / 100).short }

    /// The number of milliseconds, written for people: `850 µs`, `12.3 ms`, `1.85 s`.
    package var asMilliseconds: String {
        switch abs(self) {
        case ..<1: "\(String(format: "%.0f", self * 1000)) µs"
        case ..<10: "\(String(format: "%.2f", self)) ms"
        case ..<1000: "\(String(format: "%.1f", self)) ms"
        default: "\(String(format: "%.2f", self / 1000)) s"
        }
    }

    /// The number of bytes, written for people in decimal units.
    package var asBytes: String {
        switch self {
        case ..<1e3: "\(String(format: "%.0f", self)) B"
        case ..<1e6: "\(String(format: "%.1f", self / 1e3)) kB"
        case ..<1e9: "\(String(format: "%.1f", self / 1e6)) MB"
        default: "\(String(format: "%.2f", self / 1e9)) GB"
        }
    }
}

extension Duration {
    /// The duration in milliseconds, with a fraction.
    package var inMilliseconds: Double { self / .milliseconds(1) }
}
