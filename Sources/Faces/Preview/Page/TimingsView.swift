import Media
import Processing
import Timing

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
