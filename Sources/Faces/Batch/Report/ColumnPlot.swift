import Foundation

/// A plot of counts as columns, with one or more series side by side, as the values of `summary.mustache`.
struct ColumnPlot {
    private static let (width, left, top, bottom) = (360.0, 4.0, 18.0, 116.0)

    /// The class of each series, its name, and its counts.
    private let series: [(kind: String, name: String, counts: [Int])]
    /// The words at the bounds between the columns.
    private let marks: [String]

    /// Creates a plot. Each series has one count more than there are marks.
    init(_ series: [(kind: String, name: String, counts: [Int])], marks: [String]) {
        self.series = series
        self.marks = marks
    }

    private var greatest: Int { max(1, series.flatMap(\.counts).max() ?? 1) }

    /// The width of a column with all series.
    private var step: Double { (Self.width - 2 * Self.left) / Double(marks.count + 1) }

    func context(title: String, text: String) -> [String: Any] {
        [
            "title": title, "text": text, "description": description, "greatest": greatest, "bars": bars,
            "marks": places,
            // Each second bound has a label, because all of them would touch.
            "labels": places.enumerated().filter { $0.offset % 2 == 0 }.map(\.element),
            "hasLegend": series.count > 1,
            "legend": series.map { ["kind": $0.kind, "name": $0.name] },
        ]
    }

    /// The bounds between the columns.
    private var places: [[String: Any]] {
        marks.enumerated().map { index, mark in
            ["x": (Self.left + step * Double(index + 1)).tenths, "text": mark]
        }
    }

    private var bars: [[String: Any]] {
        let barWidth = (step - 6) / Double(series.count)
        return series.enumerated().flatMap { place, series in
            series.counts.enumerated().compactMap { index, count -> [String: Any]? in
                guard count > 0 else { return nil }
                // A single file among thousands is still visible.
                let height = max(2, Double(count) / Double(greatest) * (Self.bottom - Self.top))
                return [
                    "kind": series.kind, "x": (Self.left + step * Double(index) + 3 + barWidth * Double(place)).tenths,
                    "y": (Self.bottom - height).tenths, "width": (barWidth - 1).tenths, "height": height.tenths,
                    "text": "\(range(index)): \(count) \(series.name)",
                ]
            }
        }
    }

    /// The plot in words, for people who do not see it.
    private var description: String {
        series.map { series in
            let parts = series.counts.enumerated().filter { $0.element > 0 }
                .map { "\(range($0.offset)): \($0.element)" }
            return "\(series.name): \(parts.joined(separator: ", "))"
        }
        .joined(separator: "; ")
    }

    private func range(_ index: Int) -> String {
        guard index > 0 else { return "under \(marks[0])" }
        return index == marks.count ? "\(marks[index - 1]) and more" : "\(marks[index - 1]) to \(marks[index])"
    }
}

extension Double {
    /// The number with at most one digit after the point.
    var tenths: String {
        let text = "\((self * 10).rounded() / 10)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
