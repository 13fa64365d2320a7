import Base
import Payloads

/// The totals of a batch, which the report shows as plots before its table.
struct ReportSummary {
    private var outcomes: [ManifestLine.Outcome: Int] = [:]
    /// The sizes of the files that have an output, and of their outputs.
    private var (before, after) = (LogarithmicHistogram.sizes, LogarithmicHistogram.sizes)
    private var (beforeBytes, afterBytes) = (0, 0)
    private var durations = LogarithmicHistogram.durations
    private var (time, longest) = (0, 0)

    private static let width = 360.0

    mutating func add(_ row: ReportRow, _ outcome: ManifestLine.Outcome) {
        outcomes[outcome, default: 0] += 1
        if let size = row.afterBytes {
            before.add(row.beforeBytes ?? 0)
            after.add(size)
            beforeBytes = beforeBytes.addingClamped(row.beforeBytes ?? 0)
            afterBytes = afterBytes.addingClamped(size)
        }
        if let milliseconds = row.milliseconds {
            durations.add(milliseconds)
            time = time.addingClamped(milliseconds)
            longest = max(longest, milliseconds)
        }
    }

    /// The number of files.
    var count: Int { outcomes.values.reduce(0, +) }

    /// The values for the templates `head` and `summary`.
    var context: [String: Any] {
        var context: [String: Any] = [
            "total": count, "before": SizeChange.size(beforeBytes), "after": SizeChange.size(afterBytes),
            "outcomes": outcomeList, "segments": segments, "plots": [sizePlot, durationPlot].compactMap(\.self),
        ]
        context["change"] = SizeChange(from: beforeBytes, to: afterBytes)?.context
        return context
    }

    private var outcomeList: [[String: Any]] {
        ManifestLine.Outcome.allCases.map { outcome in
            ["name": outcome.rawValue, "label": outcome.label, "count": outcomes[outcome, default: 0]]
        }
    }

    /// The parts of a bar, one for each outcome that occurs.
    private var segments: [[String: Any]] {
        var x = 0.0
        return ManifestLine.Outcome.allCases.compactMap { outcome in
            guard let part = outcomes[outcome] else { return nil }
            let width = Double(part) / Double(count) * Self.width
            defer { x += width }
            return [
                "name": outcome.rawValue, "label": outcome.label, "count": part, "x": x.tenths, "width": width.tenths,
            ]
        }
    }

    private var sizePlot: [String: Any]? {
        guard before.counts.contains(where: { $0 > 0 }) else { return nil }
        let plot = ColumnPlot(
            [("was", "before", before.counts), ("is", "after", after.counts)],
            marks: before.bounds.map { SizeChange.size(Int(clamping: $0)) },
        )
        return plot.context(
            title: "Sizes",
            text: "\(SizeChange.size(beforeBytes)) before, \(SizeChange.size(afterBytes)) after",
        )
    }

    private var durationPlot: [String: Any]? {
        let timed = durations.counts.reduce(0, +)
        guard timed > 0 else { return nil }
        let plot = ColumnPlot(
            [("is", "files", durations.counts)],
            marks: durations.bounds.map { ReportRow.duration(Int(clamping: $0)) },
        )
        return plot.context(
            title: "Time for each file",
            text: "\(ReportRow.duration(time / timed)) on average, \(ReportRow.duration(longest)) at most",
        )
    }
}

extension ManifestLine.Outcome {
    fileprivate var label: String {
        switch self {
        case .complete: "Complete"
        case .degraded: "Degraded"
        case .original: "No output"
        case .skipped: "Skipped"
        }
    }
}

// MARK: - Plots

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

/// A histogram of numbers, with bounds that are each about three times the previous one, for a plot.
struct LogarithmicHistogram {
    /// The bounds between the columns. The first and last column have no bound on their outer side.
    let bounds: [Double]
    private(set) var counts: [Int]

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Columns for the sizes of files in bytes, from 10 kB to 30 MB.
    static let sizes = LogarithmicHistogram(bounds: [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7])

    /// Columns for durations in milliseconds, from 10 ms to 30 s.
    static let durations = LogarithmicHistogram(bounds: [10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4])

    mutating func add(_ number: Int) { counts[bounds.count { $0 <= Double(number) }] += 1 }
}
