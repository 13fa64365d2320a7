import Foundation
import Media
import Values

/// A scale that starts at zero, with round marks.
struct Axis {
    let top: Double
    let marks: [Double]

    /// Creates a scale with about five marks that includes `greatest`.
    init(upTo greatest: Double) {
        // Bounds values that are not finite.
        let greatest = greatest.isFinite ? min(max(greatest, 1e-9), 1e18) : 1
        let rough = greatest / 5
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? 10 * power
        let count = min(max(Int(clamping: (greatest / step * 0.999).rounded(.up)), 1), 10)
        top = step * Double(count)
        marks = (0...count).map { step * Double($0) }
    }
}
