import Payloads
import Testing

@testable import Batch

@Suite("The summary of a batch's report")
struct ReportSummaryTests {
    /// Returns the summary of files with these sizes before and after and durations; `nil` is a file without an output.
    private static func summary(_ files: [(Int, Int, Int)?]) -> [String: Any] {
        var summary = ReportSummary()
        for file in files {
            var json: JSONValue = ["path": "a", "outcome": "original"]
            if let (before, after, time) = file {
                json = [
                    "path": "a", "sha256": "00", "bytes": .integer(before), "options": "0", "outcome": "complete",
                    "attachments": [["bytes": .integer(after)]], "timings": ["total": .integer(time)],
                ]
            }
            let line = ManifestLine(json: json)
            summary.add(ReportRow(line, preview: nil), line.outcome ?? .skipped)
        }
        return summary.context
    }

    private static func plots(_ context: [String: Any]) -> [[String: Any]] {
        context["plots"] as? [[String: Any]] ?? []
    }

    @Test("files are counted in the column of their size and of their time, on both sides of each bound")
    func columns() throws {
        let context = Self.summary([
            (9999, 1, 9), (10_000, 1, 10), (29_999, 1, 29), (30_000, 1, 30), (40_000_000, 10_000, 40_000), nil,
        ])
        let plots = Self.plots(context)
        try #require(plots.count == 2)
        #expect(
            plots[0]["description"] as? String
                == "before: under 10 kB: 1, 10 kB to 30 kB: 2, 30 kB to 100 kB: 1, 30 MB and more: 1; "
                + "after: under 10 kB: 4, 10 kB to 30 kB: 1"
        )
        #expect(
            plots[1]["description"] as? String
                == "files: under 10 ms: 1, 10 ms to 30 ms: 2, 30 ms to 100 ms: 1, 30 s and more: 1"
        )
        #expect(plots[1]["text"] as? String == "8 s on average, 40 s at most")
        #expect(context["total"] as? Int == 6)
    }

    @Test(
        "a file that grew is said to have grown, in its row and in the totals, and only nothing left is 100 % saved",
        arguments: [
            (1000, 70, "93 %", "93"), (1000, 1000, "0 %", "0"), (1000, 1120, "grew 12 %", "-12"),
            (1000, 3444, "grew 244 %", "-244"), (1000, 1001, "grew under 1 %", "0"), (1000, 999, "under 1 %", "0"),
            (1_000_000, 1, "99 %", "99"), (1000, 0, "100 %", "100"),
        ]
    )
    func change(before: Int, after: Int, text: String, saved: String) throws {
        let line = ManifestLine(json: [
            "path": "a", "sha256": "00", "bytes": .integer(before), "options": "0", "outcome": "complete",
            "attachments": [["bytes": .integer(after)]],
        ])
        let row = ReportRow(line, preview: nil)
        #expect((row.context["change"] as? [String: Any])?["text"] as? String == text)
        let isGrowth = after > before
        #expect(ReportPage.text(of: row).contains(isGrowth ? ">\(text)</td>" : "saved </span>\(text)</td>"))
        #expect(row.context["saved"] as? String == saved)
        let total = Self.summary([(before, after, 1)])["change"] as? [String: Any]
        #expect(total?["text"] as? String == text && total?["isGrowth"] as? Bool == isGrowth)
    }

    @Test("the parts of the outcomes fill the bar, and every column is visible and inside the picture")
    func shapes() throws {
        let context = Self.summary(Array(repeating: (1_000_000, 1000, 100), count: 10_000) + [(5, 5, 5), nil])
        let segments = try #require(context["segments"] as? [[String: Any]])
        #expect(segments.compactMap { $0["count"] as? Int } == [10_001, 1])
        for plot in Self.plots(context) {
            for bar in plot["bars"] as? [[String: Any]] ?? [] {
                let numbers = ["x", "y", "width", "height"].compactMap { (bar[$0] as? String).flatMap(Double.init) }
                try #require(numbers.count == 4)
                #expect(numbers[0] >= 0 && numbers[0] + numbers[2] <= 360)
                #expect(numbers[1] >= 18 && numbers[3] >= 2 && abs(numbers[1] + numbers[3] - 116) < 0.2)
            }
        }
    }

    @Test("a batch without any file has no plots, and odd numbers do no harm")
    func odd() {
        #expect(Self.plots(Self.summary([])).isEmpty)
        #expect(Self.plots(Self.summary([nil])).isEmpty)
        let odd = Self.summary([(Int.max, Int.max, Int.max), (Int.max, -1, Int.min), (0, 0, 0)])
        #expect(Self.plots(odd).count == 2)
    }
}
