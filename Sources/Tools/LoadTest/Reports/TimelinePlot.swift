/// A plot of each second's outcomes as stacked columns, above the 99th percentile of its latency.
struct TimelinePlot {
    private let size: PlotWidth
    private let legend: [(name: String, color: String)]
    /// The edges of the upper plot, of counts, and of the lower one, of times.
    private let (counts, times): ((top: Double, bottom: Double), (top: Double, bottom: Double))
    private let step: StepResult
    private let outcomes: [LoadAnswer.Outcome]
    private let countAxis: Axis
    private let timeAxis: Axis
    private let seconds: Double

    init(_ step: StepResult, _ size: PlotWidth) {
        self.size = size
        self.step = step
        outcomes = LoadAnswer.Outcome.allCases.filter { step.count($0) > 0 }
        legend = outcomes.map { ($0.rawValue, $0.rawValue) } + [("p99 of the second", "one")]
        let top = 22 + Drawing.legendHeight(legend.map(\.name), x: size.left, width: size.rawValue)
        (counts, times) = ((top, top + 150), (top + 175, top + 256))
        countAxis = Axis(upTo: step.timeline.map { $0.outcomes.values.reduce(0) { $0 + Double($1) } }.max() ?? 1)
        timeAxis = Axis(upTo: step.timeline.map(\.p99).max() ?? 1)
        seconds = max(step.seconds.rounded(.up), 1)
    }

    var svg: String {
        var drawing = Drawing(width: size.rawValue, height: times.bottom + 36)
        drawing.legend(legend, x: size.left, y: 16)
        marks(&drawing)
        let columnWidth = (size.end - size.left) / seconds
        let gap = columnWidth > 4 ? 1.0 : 0
        for second in step.timeline {
            var base = counts.bottom
            for outcome in outcomes {
                let count = second.outcomes[outcome.rawValue] ?? 0
                guard count > 0 else { continue }
                let height = Double(count) / countAxis.top * (counts.bottom - counts.top)
                base -= height
                drawing.box(
                    x: x(Double(second.second)) + gap / 2,
                    y: base,
                    width: columnWidth - gap,
                    height: height,
                    color: outcome.rawValue,
                    title: "second \(second.second): \(count) \(outcome.rawValue)",
                )
            }
        }
        drawing.curve(step.timeline.map { (x(Double($0.second) + 0.5), y($0.p99)) }, color: "one")
        let words = outcomes.map { "\(step.count($0)) \($0.rawValue)" }.joined(separator: ", ")
        return drawing.svg(label: "Outcomes over time: \(words)")
    }

    private func marks(_ drawing: inout Drawing) {
        let plotHeight = counts.bottom - counts.top
        for mark in countAxis.marks {
            drawing.rule("\(mark.short)/s", y: counts.bottom - mark / countAxis.top * plotHeight, size)
        }
        // The lower plot is small, so it has marks only at its bottom, middle, and top.
        for mark in [0, timeAxis.top / 2, timeAxis.top] { drawing.rule(mark.asAxisTime, y: y(mark), size) }
        let marks = Axis(upTo: seconds).marks.filter { $0 <= seconds }
        drawing.marks(marks.map { ("\($0.short) s", x($0)) }, y: times.bottom + Drawing.marksBelow)
    }

    private func x(_ second: Double) -> Double {
        size.left + second / seconds * (size.end - size.left)
    }

    private func y(_ milliseconds: Double) -> Double {
        times.bottom - milliseconds / timeAxis.top * (times.bottom - times.top)
    }
}
