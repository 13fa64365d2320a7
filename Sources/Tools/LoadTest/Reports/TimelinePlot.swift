import Foundation

/// A plot of each second's outcomes as stacked columns, above the 99th percentile of its latency.
struct TimelinePlot {
    private static let (width, height) = (860.0, 330.0)
    private static let (left, right) = (70.0, 32.0)
    private static let counts = (top: 40.0, bottom: 190.0)
    private static let times = (top: 215.0, bottom: 296.0)

    private let step: StepResult
    private let outcomes: [LoadAnswer.Outcome]
    private let countAxis: Axis
    private let timeAxis: Axis
    private let seconds: Double

    init(_ step: StepResult) {
        self.step = step
        outcomes = LoadAnswer.Outcome.allCases.filter { step.count($0) > 0 }
        countAxis = Axis(upTo: step.timeline.map { $0.outcomes.values.reduce(0) { $0 + Double($1) } }.max() ?? 1)
        timeAxis = Axis(upTo: step.timeline.map(\.p99).max() ?? 1)
        seconds = max(step.seconds.rounded(.up), 1)
    }

    var svg: String {
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawing.legend(
            outcomes.map { ($0.rawValue, $0.rawValue) } + [("p99 of the second", "one")],
            x: Self.left,
            y: 16
        )
        marks(&drawing)
        let columnWidth = (Self.width - Self.left - Self.right) / seconds
        let gap = columnWidth > 4 ? 1.0 : 0
        for second in step.timeline {
            var base = Self.counts.bottom
            for outcome in outcomes {
                let count = second.outcomes[outcome.rawValue] ?? 0
                guard count > 0 else { continue }
                let height = Double(count) / countAxis.top * (Self.counts.bottom - Self.counts.top)
                base -= height
                drawing.box(
                    x: x(Double(second.second)) + gap / 2,
                    y: base,
                    width: columnWidth - gap,
                    height: height,
                    colour: outcome.rawValue,
                    title: "second \(second.second): \(count) \(outcome.rawValue)",
                )
            }
        }
        drawing.curve(step.timeline.map { (x(Double($0.second) + 0.5), y($0.p99)) }, colour: "one")
        let counts = outcomes.map { "\(step.count($0)) \($0.rawValue)" }.joined(separator: ", ")
        return drawing.svg(label: "Outcomes over time: \(counts)")
    }

    private func marks(_ drawing: inout Drawing) {
        let plotHeight = Self.counts.bottom - Self.counts.top
        for mark in countAxis.marks {
            let y = Self.counts.bottom - mark / countAxis.top * plotHeight
            drawing.line(from: (Self.left, y), to: (Self.width - Self.right, y))
            drawing.text("\(mark.short)/s", x: Self.left - 8, y: y + 4, anchor: .end)
        }
        // The lower plot is small, so it has marks only at its bottom, middle, and top.
        for mark in [0, timeAxis.top / 2, timeAxis.top] {
            drawing.line(from: (Self.left, y(mark)), to: (Self.width - Self.right, y(mark)))
            drawing.text(mark.asAxisTime, x: Self.left - 8, y: y(mark) + 4, anchor: .end)
        }
        for mark in Axis(upTo: seconds).marks where mark <= seconds {
            drawing.text("\(mark.short) s", x: x(mark), y: Self.height - 14, anchor: .middle)
        }
    }

    private func x(_ second: Double) -> Double {
        Self.left + second / seconds * (Self.width - Self.left - Self.right)
    }

    private func y(_ milliseconds: Double) -> Double {
        Self.times.bottom - milliseconds / timeAxis.top * (Self.times.bottom - Self.times.top)
    }
}
