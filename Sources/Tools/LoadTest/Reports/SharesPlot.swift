import Timing

/// A bar with the mean times of the stages side by side.
struct SharesPlot {
    private static let (width, left, right) = (860.0, 10.0, 10.0)
    private static let colours = ["five", "one", "three", "two", "four", "six"]

    private let shares: [(stage: String, milliseconds: Double)]

    init(_ shares: [(stage: String, milliseconds: Double)]) { self.shares = shares }

    var svg: String {
        let names = shares.map { "\($0.stage) \($0.milliseconds.asMilliseconds)" }
        let entries = zip(names, Self.colours).map { (name: $0, colour: $1) }
        var drawing = Drawing(width: Self.width, height: 84)
        drawing.legend(entries, x: Self.left, y: 66)
        let total = max(shares.reduce(0) { $0 + $1.milliseconds }, 1e-9)
        var place = Self.left
        for (index, share) in shares.enumerated() {
            let width = share.milliseconds / total * (Self.width - Self.left - Self.right)
            drawing.box(x: place, y: 12, width: width, height: 28, colour: Self.colours[index], title: names[index])
            place += width
        }
        return drawing.svg(label: "Where the time went: " + names.joined(separator: ", "))
    }
}
