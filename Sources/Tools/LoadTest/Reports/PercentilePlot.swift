import Foundation
import Media
import Values

/// A plot of latency against percentile, stretched towards the end as in HdrHistogram's plots: each nine has the same
/// width.
struct PercentilePlot {
    private static let (width, height) = (860.0, 330.0)
    private static let (left, right, top, bottom) = (70.0, 32.0, 40.0, 34.0)

    private let step: StepResult
    private let deadline: Double
    private let curves: [(name: String, colour: String, points: [Distribution.Point])]
    /// The number of nines on the axis.
    private let nines: Double
    private let axis: Axis

    init(_ step: StepResult, deadline: Double) {
        self.step = step
        self.deadline = deadline
        let outcomes = LoadAnswer.Outcome.allCases.compactMap { outcome in
            step.byOutcome[outcome.rawValue].map { (outcome.rawValue, outcome.rawValue, $0.curve) }
        }
        curves = (outcomes.count > 1 ? outcomes : []) + [("all notifications", "one", step.latency.curve)]
        nines = min(5, max(2, log10(Double(step.latency.count)).rounded(.up)))
        axis = Axis(upTo: curves.flatMap { $0.points.map(\.value) }.max() ?? 1)
    }

    var svg: String {
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawing.legend(curves.reversed().map { ($0.name, $0.colour) }, x: Self.left, y: 16)
        for mark in axis.marks {
            drawing.line(from: (Self.left, y(mark)), to: (Self.width - Self.right, y(mark)))
            drawing.text(mark.asAxisTime, x: Self.left - 8, y: y(mark) + 4, anchor: .end)
        }
        let marks = [0, 50] + (1...Int(clamping: nines)).map { 100 - pow(10, 2 - Double($0)) }
        for percentile in marks {
            drawing.line(from: (x(percentile), Self.top), to: (x(percentile), Self.height - Self.bottom))
            drawing.text("\(percentile.short) %", x: x(percentile), y: Self.height - Self.bottom + 18, anchor: .middle)
        }
        if deadline <= axis.top {
            drawing.curve(
                [(Self.left, y(deadline)), (Self.width - Self.right, y(deadline))],
                colour: "failed",
                width: 1,
                dashed: true
            )
            drawing.text("deadline", x: Self.width - Self.right - 4, y: y(deadline) - 5, anchor: .end)
        }
        for curve in curves {
            drawing.curve(curve.points.map { (x($0.percentile), y($0.value)) }, colour: curve.colour)
        }
        let p99 = step.latency.value(at: 99).asMilliseconds
        return drawing.svg(
            label: "Latency by percentile: half within \(step.latency.value(at: 50).asMilliseconds), 99 % within \(p99)"
        )
    }

    private func x(_ percentile: Double) -> Double {
        let place = percentile >= 100 ? nines : min(nines, -log10(1 - percentile / 100))
        return Self.left + place / nines * (Self.width - Self.left - Self.right)
    }

    private func y(_ milliseconds: Double) -> Double {
        Self.height - Self.bottom - milliseconds / axis.top * (Self.height - Self.top - Self.bottom)
    }
}

extension Double {
    /// The number of milliseconds as a mark of an axis, with no more digits than it needs.
    var asAxisTime: String {
        if self == 0 { return "0" }
        return self >= 1000 ? "\((self / 1000).short) s" : "\(short) ms"
    }
}
