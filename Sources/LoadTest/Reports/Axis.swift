import Foundation

/// A scale from zero, with round marks.
struct Axis {
    let top: Double
    let marks: [Double]

    /// Reaches `greatest` at least, with some five marks.
    init(upTo greatest: Double) {
        let rough = max(greatest, 1e-9) / 5
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? 10 * power
        let count = Int((max(greatest, 1e-9) / step * 0.999).rounded(.up))
        top = step * Double(max(count, 1))
        marks = (0...max(count, 1)).map { step * Double($0) }
    }
}
