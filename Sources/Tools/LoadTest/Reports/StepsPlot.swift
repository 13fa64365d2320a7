import Foundation

/// A plot of the steps of a ramp: the shares of the outcomes, and the 99th percentile of the latency.
struct StepsPlot {
    private static let (width, left, right) = (860.0, 70.0, 32.0)
    private static let (top, bottom, height) = (40.0, 200.0, 252.0)

    private let steps: [StepResult]
    private let outcomes: [LoadAnswer.Outcome]

    init(_ steps: [StepResult]) {
        self.steps = steps
        outcomes = LoadAnswer.Outcome.allCases.filter { outcome in steps.contains { $0.count(outcome) > 0 } }
    }

    var svg: String {
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawing.legend(outcomes.map { ($0.rawValue, $0.rawValue) }, x: Self.left, y: 16)
        for share in [0.0, 25, 50, 75, 100] {
            let y = Self.bottom - share / 100 * (Self.bottom - Self.top)
            drawing.line(from: (Self.left, y), to: (Self.width - Self.right, y))
            drawing.text("\(share.short) %", x: Self.left - 8, y: y + 4, anchor: .end)
        }
        let place = (Self.width - Self.left - Self.right) / Double(steps.count)
        for (index, step) in steps.enumerated() {
            let x = Self.left + place * (Double(index) + 0.15)
            draw(step, &drawing, x: x, width: place * 0.7)
            let middle = x + place * 0.35
            drawing.text(step.label, x: middle, y: Self.bottom + 18, anchor: .middle, isStrong: true)
            drawing.text(
                "p99 \(step.latency.value(at: 99).asMilliseconds)",
                x: middle,
                y: Self.bottom + 35,
                anchor: .middle
            )
        }
        return drawing.svg(label: "Outcomes of each step: " + steps.map(\.line).joined(separator: "; "))
    }

    private func draw(_ step: StepResult, _ drawing: inout Drawing, x: Double, width: Double) {
        var base = Self.bottom
        for outcome in outcomes where step.count(outcome) > 0 {
            let height = Double(step.count(outcome)) / Double(step.sent) * (Self.bottom - Self.top)
            base -= height
            let title = "\(step.label): \(step.count(outcome)) of \(step.sent) \(outcome.rawValue)"
            drawing.box(x: x, y: base, width: width, height: height, colour: outcome.rawValue, title: title)
        }
    }
}
