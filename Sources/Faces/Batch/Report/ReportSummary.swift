import Payloads
import Values

/// The totals of a batch, which the report shows as plots before its table.
struct ReportSummary {
    private var outcomes: [ManifestLine.Outcome: Int] = [:]
    /// The sizes of the files that have an output, and of their outputs.
    private var (before, after) = (RoundHistogram.sizes, RoundHistogram.sizes)
    private var (beforeBytes, afterBytes) = (0, 0)
    private var durations = RoundHistogram.durations
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
