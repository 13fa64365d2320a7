import Base
import Glibc
import Media
import Templates

/// A drawing of lines, boxes, and words in SVG. Its colors are names that the page defines.
struct Drawing {
    let width: Double
    let height: Double
    private var elements: [String] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Returns the SVG. `label` describes the picture for people who cannot see it.
    func svg(label: String) -> String {
        #"<svg viewBox="0 0 \#(width.short) \#(height.short)" role="img" aria-label="\#(HTMLText.escape(label))">"#
            + elements.joined() + "</svg>"
    }

    mutating func line(from start: (Double, Double), to end: (Double, Double), dashed: Bool = false) {
        let dashes = dashed ? #" stroke-dasharray="4 4""# : ""
        elements.append(
            #"<line class="grid" x1="\#(start.0.short)" y1="\#(start.1.short)" x2="\#(end.0.short)" y2="\#(end.1.short)"\#(dashes)/>"#
        )
    }

    mutating func curve(_ points: [(Double, Double)], color: String, width: Double = 2, dashed: Bool = false) {
        let path = points.enumerated().map {
            "\($0.offset == 0 ? "M" : "L")\($0.element.0.short) \($0.element.1.short)"
        }
        let dashes = dashed ? #" stroke-dasharray="5 3""# : ""
        elements.append(
            #"<path class="curve" d="\#(path.joined())" style="stroke:var(--\#(color));stroke-width:\#(width.short)"\#(dashes)/>"#
        )
    }

    mutating func box(x: Double, y: Double, width: Double, height: Double, color: String, title: String = "") {
        let words = title.isEmpty ? "" : "<title>\(HTMLText.escape(title))</title>"
        elements.append(
            #"<rect x="\#(x.short)" y="\#(y.short)" width="\#(max(0, width).short)" height="\#(max(0, height).short)" "#
                + #"style="fill:var(--\#(color))">\#(words)</rect>"#
        )
    }

    enum Anchor: String {
        case start, middle, end
    }

    mutating func text(_ text: String, x: Double, y: Double, anchor: Anchor = .start, isStrong: Bool = false) {
        let weight = isStrong ? #" class="strong""# : ""
        elements.append(
            #"<text x="\#(x.short)" y="\#(y.short)" text-anchor="\#(anchor.rawValue)"\#(weight)>"#
                + "\(HTMLText.escape(text))</text>"
        )
    }

    /// Draws a line across a plot, with its mark on the vertical axis.
    mutating func rule(_ mark: String, y: Double, _ size: PlotWidth) {
        line(from: (size.left, y), to: (size.end, y))
        text(mark, x: size.left - 8, y: y + 4, anchor: .end)
    }

    /// Draws a legend from left to right, wrapped before the right border.
    mutating func legend(_ entries: [(name: String, color: String)], x: Double, y: Double) {
        for (entry, place) in zip(entries, Self.places(of: entries.map(\.name), x: x, width: width)) {
            let baseline = y + Double(place.row) * Self.legendRow
            box(x: place.x, y: baseline - 9, width: 10, height: 10, color: entry.color)
            text(entry.name, x: place.x + 15, y: baseline, isStrong: true)
        }
    }

    /// Returns the height of a legend with these names in a drawing of the given width.
    static func legendHeight(_ names: [String], x: Double, width: Double) -> Double {
        Double((places(of: names, x: x, width: width).last?.row ?? 0) + 1) * legendRow
    }

    private static let legendRow = 18.0

    private static func places(of names: [String], x: Double, width: Double) -> [(x: Double, row: Int)] {
        var (place, row) = (x, 0)
        return names.map { name in
            let length = 15 + textWidth(name)
            if place + length > width, place > x { (place, row) = (x, row + 1) }
            defer { place += length + 11 }
            return (place, row)
        }
    }

    /// Returns about how wide a text is in DejaVu Sans, the widest of the page's fonts.
    static func textWidth(_ text: String) -> Double {
        text.reduce(0) { $0 + (" .,:/il".contains($1) ? 4 : "%mwMW".contains($1) ? 11.7 : 7.7) }
    }

    /// The distance from an axis to the baseline of its marks. The lowest mark of the vertical axis is between them.
    static let marksBelow = 22.0

    /// Draws marks below an axis, from left to right. Leaves out those that would touch the mark before.
    mutating func marks(_ marks: [(text: String, x: Double)], y: Double, isStrong: Bool = false) {
        var end = -Double.infinity
        for mark in marks {
            let half = Self.textWidth(mark.text) / 2
            // The last mark is often at the border.
            let middle = min(mark.x, width - half)
            guard middle - half >= end + 8 else { continue }
            text(mark.text, x: middle, y: y, anchor: .middle, isStrong: isStrong)
            end = middle + half
        }
    }
}

// MARK: - Scales

/// A scale that starts at zero, with round marks.
struct Axis {
    let top: Double
    let marks: [Double]

    /// Creates a scale with about five marks that includes `greatest`.
    init(upTo greatest: Double) {
        // Bounds values that are not finite.
        let greatest = greatest.isFinite ? min(max(greatest, 1e-9), 1e18) : 1
        let rough = greatest / 5
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? 10 * power
        let count = min(max(Int(clamping: (greatest / step * 0.999).rounded(.up)), 1), 10)
        top = step * Double(count)
        marks = (0...count).map { step * Double($0) }
    }
}

/// The two widths in which the report has each plot: for a desk, and for a phone, whose texts would be too small if a
/// plot were scaled down.
enum PlotWidth: Double, CaseIterable {
    case broad = 860
    case slim = 340

    /// The place for the marks of the vertical axis.
    var left: Double { self == .broad ? 70 : 58 }
    /// The end of the horizontal axis.
    var end: Double { rawValue - (self == .broad ? 32 : 12) }

    /// Returns a plot in both widths. The page's style shows one of them.
    static func both(_ svg: (PlotWidth) -> String) -> String {
        allCases.map { #"<div class="\#($0)">\#(svg($0))</div>"# }.joined()
    }
}
