import Base
import Media
import Processing

/// The durations of stages as bars: one relative to the deadline, and one relative to the total, which is usually much
/// shorter.
struct TimingsView {
    struct Stage {
        var name: String
        var duration: String
    }

    /// The part of a stage in a bar of the width `TimingsView.width`.
    struct Segment {
        var name: String
        var x: Double
        var width: Double
    }

    static let width = 1000.0

    var stages: [Stage]
    /// A Boolean value that indicates whether no attachment needed work of its own.
    var isReused: Bool
    var total: String
    var deadline: String
    var margin: String
    var ofDeadline: [Segment]
    var ofTotal: [Segment]

    init(_ result: ProcessingResult) {
        let timings = result.timings
        let stages = timings.dropLast()
        let total = timings.last?.milliseconds ?? 0
        let deadline = total + result.margin.milliseconds
        self.stages = stages.map { Stage(name: $0.stage, duration: ShownNumber.duration($0.milliseconds)) }
        isReused = !result.attachments.isEmpty && result.attachments.allSatisfy(\.isReused)
        self.total = total == 0 ? "less than 1 ms" : ShownNumber.duration(total)
        self.deadline = ShownNumber.duration(deadline)
        margin = ShownNumber.duration(result.margin.milliseconds)
        ofDeadline = Self.segments(Array(stages), of: deadline)
        ofTotal = Self.segments(Array(stages), of: stages.reduce(0) { $0 + $1.milliseconds })
    }

    private static func segments(_ stages: [ProcessingResult.Timing], of total: Int) -> [Segment] {
        guard total > 0 else { return [] }
        var end = 0
        return stages.map { stage in
            defer { end += stage.milliseconds }
            return Segment(
                name: stage.stage,
                x: Double(end) / Double(total) * width,
                width: Double(stage.milliseconds) / Double(total) * width
            )
        }
    }
}

// MARK: - Numbers

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
