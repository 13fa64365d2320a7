import Base

/// A plot of the steps of a ramp: the shares of the outcomes, and the 99th percentile of the latency.
struct StepsPlot {
    private let size: PlotWidth
    /// The edges of the plot between its legend and its marks.
    private let (top, bottom): (Double, Double)
    private let steps: [StepResult]
    private let outcomes: [LoadAnswer.Outcome]

    init(_ steps: [StepResult], _ size: PlotWidth) {
        self.size = size
        self.steps = steps
        outcomes = LoadAnswer.Outcome.allCases.filter { outcome in steps.contains { $0.count(outcome) > 0 } }
        top = 22 + Drawing.legendHeight(outcomes.map(\.rawValue), x: size.left, width: size.rawValue)
        bottom = top + 160
    }

    var svg: String {
        var drawing = Drawing(width: size.rawValue, height: bottom + 56)
        drawing.legend(outcomes.map { ($0.rawValue, $0.rawValue) }, x: size.left, y: 16)
        for share in [0.0, 25, 50, 75, 100] {
            drawing.rule("\(share.short) %", y: bottom - share / 100 * (bottom - top), size)
        }
        let place = (size.end - size.left) / Double(steps.count)
        for (index, step) in steps.enumerated() {
            let x = size.left + place * (Double(index) + 0.15)
            draw(step, &drawing, x: x, width: place * 0.7)
        }
        let middles = steps.indices.map { size.left + place * (Double($0) + 0.5) }
        drawing.marks(Array(zip(steps.map(\.label), middles)), y: bottom + Drawing.marksBelow, isStrong: true)
        let percentiles = steps.map { "p99 \($0.latency.text(at: 99))" }
        drawing.marks(Array(zip(percentiles, middles)), y: bottom + Drawing.marksBelow + 17)
        return drawing.svg(label: "Outcomes of each step: " + steps.map(\.line).joined(separator: "; "))
    }

    private func draw(_ step: StepResult, _ drawing: inout Drawing, x: Double, width: Double) {
        var base = bottom
        for outcome in outcomes where step.count(outcome) > 0 {
            let height = Double(step.count(outcome)) / Double(step.sent) * (bottom - top)
            base -= height
            let title = "\(step.label): \(step.count(outcome)) of \(step.sent) \(outcome.rawValue)"
            drawing.box(x: x, y: base, width: width, height: height, color: outcome.rawValue, title: title)
        }
    }
}

// MARK: - The shares of the stages

/// A bar with the mean times of the stages side by side.
struct SharesPlot {
    private static let (left, right) = (10.0, 10.0)
    private static let colors = ["five", "one", "seven", "three", "two", "four", "six"]

    private let shares: [(stage: String, milliseconds: Double)]
    private let width: Double

    init(_ shares: [(stage: String, milliseconds: Double)], _ size: PlotWidth) {
        self.shares = shares
        width = size.rawValue
    }

    var svg: String {
        let names = shares.map { "\($0.stage) \($0.milliseconds.asMilliseconds)" }
        let colors = shares.indices.map { Self.colors[$0 % Self.colors.count] }
        let entries = zip(names, colors).map { (name: $0, color: $1) }
        let legendHeight = Drawing.legendHeight(names, x: Self.left, width: width)
        var drawing = Drawing(width: width, height: 66 + legendHeight)
        drawing.legend(entries, x: Self.left, y: 66)
        let total = max(shares.reduce(0) { $0 + $1.milliseconds }, 1e-9)
        var place = Self.left
        for (index, share) in shares.enumerated() {
            let width = share.milliseconds / total * (self.width - Self.left - Self.right)
            drawing.box(x: place, y: 12, width: width, height: 28, color: colors[index], title: names[index])
            place += width
        }
        return drawing.svg(label: "Where the time went: " + names.joined(separator: ", "))
    }
}
