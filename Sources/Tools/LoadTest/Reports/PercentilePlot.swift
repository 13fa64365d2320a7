import Base
import Glibc
import Media

/// A plot of latency against percentile, stretched towards the end as in HdrHistogram's plots: each nine has the same
/// width.
struct PercentilePlot {
    private let size: PlotWidth
    /// The edges of the plot between its legend and its marks.
    private let (top, bottom): (Double, Double)
    private let step: StepResult
    private let deadline: Double
    private let curves: [(name: String, color: String, points: [Distribution.Point])]
    /// The number of nines on the axis.
    private let nines: Double
    private let axis: Axis

    init(_ step: StepResult, deadline: Double, _ size: PlotWidth) {
        self.size = size
        self.step = step
        self.deadline = deadline
        let outcomes = LoadAnswer.Outcome.allCases.compactMap { outcome in
            step.byOutcome[outcome.rawValue].map { (outcome.rawValue, outcome.rawValue, $0.curve) }
        }
        curves = (outcomes.count > 1 ? outcomes : []) + [("all notifications", "one", step.latency.curve)]
        top = 22 + Drawing.legendHeight(curves.map(\.name), x: size.left, width: size.rawValue)
        bottom = top + 256
        nines = min(5, max(2, log10(Double(step.latency.count)).rounded(.up)))
        axis = Axis(upTo: curves.flatMap { $0.points.map(\.value) }.max() ?? 1)
    }

    var svg: String {
        var drawing = Drawing(width: size.rawValue, height: bottom + 36)
        drawing.legend(curves.reversed().map { ($0.name, $0.color) }, x: size.left, y: 16)
        for mark in axis.marks { drawing.rule(mark.asAxisTime, y: y(mark), size) }
        // A phone has no room for both, and the median says more.
        let marks = (size == .slim ? [50] : [0, 50]) + (1...Int(clamping: nines)).map { 100 - pow(10, 2 - Double($0)) }
        for percentile in marks {
            drawing.line(from: (x(percentile), top), to: (x(percentile), bottom))
        }
        drawing.marks(marks.map { ("\($0.short) %", x($0)) }, y: bottom + Drawing.marksBelow)
        if deadline <= axis.top {
            drawing.curve(
                [(size.left, y(deadline)), (size.end, y(deadline))],
                color: "failed",
                width: 1,
                dashed: true
            )
            drawing.text("deadline", x: size.end - 4, y: y(deadline) - 5, anchor: .end)
        }
        for curve in curves {
            drawing.curve(curve.points.map { (x($0.percentile), y($0.value)) }, color: curve.color)
        }
        let p99 = step.latency.text(at: 99)
        return drawing.svg(
            label: "Latency by percentile: half within \(step.latency.text(at: 50)), 99 % within \(p99)"
        )
    }

    private func x(_ percentile: Double) -> Double {
        let place = percentile >= 100 ? nines : min(nines, -log10(1 - percentile / 100))
        return size.left + place / nines * (size.end - size.left)
    }

    private func y(_ milliseconds: Double) -> Double {
        bottom - milliseconds / axis.top * (bottom - top)
    }
}

extension Double {
    /// The number of milliseconds as a mark of an axis, with no more digits than it needs.
    var asAxisTime: String {
        if self == 0 { return "0" }
        return self >= 1000 ? "\((self / 1000).short) s" : "\(short) ms"
    }
}
