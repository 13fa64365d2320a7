import Timing

/// A bar with the mean times of the stages side by side.
struct SharesPlot {
    private static let (left, right) = (10.0, 10.0)
    private static let colours = ["five", "one", "seven", "three", "two", "four", "six"]

    private let shares: [(stage: String, milliseconds: Double)]
    private let width: Double

    init(_ shares: [(stage: String, milliseconds: Double)], _ size: PlotWidth) {
        self.shares = shares
        width = size.rawValue
    }

    var svg: String {
        let names = shares.map { "\($0.stage) \($0.milliseconds.asMilliseconds)" }
        let colours = shares.indices.map { Self.colours[$0 % Self.colours.count] }
        let entries = zip(names, colours).map { (name: $0, colour: $1) }
        let legendHeight = Drawing.legendHeight(names, x: Self.left, width: width)
        var drawing = Drawing(width: width, height: 66 + legendHeight)
        drawing.legend(entries, x: Self.left, y: 66)
        let total = max(shares.reduce(0) { $0 + $1.milliseconds }, 1e-9)
        var place = Self.left
        for (index, share) in shares.enumerated() {
            let width = share.milliseconds / total * (self.width - Self.left - Self.right)
            drawing.box(x: place, y: 12, width: width, height: 28, colour: colours[index], title: names[index])
            place += width
        }
        return drawing.svg(label: "Where the time went: " + names.joined(separator: ", "))
    }
}
