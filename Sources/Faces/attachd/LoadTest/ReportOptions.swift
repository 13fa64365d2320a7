import ArgumentParser
import Foundation
import LoadTest

/// The options for the budgets and the reports of a load test.
struct ReportOptions: ParsableArguments {
    @Option(help: "A budget, such as 'p99<1.8s', 'late=0' or 'degraded<5%'; may be repeated.")
    var budget: [String] = []
    @Option(help: "The --json file of an earlier run. Fail if a percentile or a share got worse.", completion: .file())
    var compare: String?
    @Option(help: "Write the result to this file as JSON.", completion: .file())
    var json: String?
    @Option(help: "Write a report with plots to this file as HTML.", completion: .file())
    var report: String?
    @Option(help: "Write the budgets to this file as JUnit XML.", completion: .file())
    var junit: String?

    /// Checks, before the run, that all reports can be written, and returns the run to compare with.
    func prepare() throws -> LoadResult? {
        try OutputPath.check(json, report, junit)
        guard let compare else { return nil }
        guard let data = FileManager.default.contents(atPath: compare) else {
            throw CommandError(.inputNotFound, "\(compare) cannot be read. Check its name and permissions.")
        }
        do {
            return try LoadResult(json: data)
        } catch {
            throw CommandError(.badInput, "\(compare) is not the result of a load test. Name a file written by --json.")
        }
    }

    /// Writes the requested files and prints a summary. Ends the command with an error if a budget was missed.
    func write(_ result: LoadResult) throws {
        if let json { try write(try result.json, json) }
        if let report { try write(Data(try HTMLReport(result).html.utf8), report) }
        if let junit { try write(Data(try JUnitReport(result).xml.utf8), junit) }
        FileHandle.standardOutput.write(Data("\(result.text)\n".utf8))
        switch result.verdict {
        case .passed, .measured: break
        case .missed: throw CommandError(.budgetMissed, "A budget was missed, or a figure got worse; see above.")
        case .failed:
            let reason = result.mainReason.map { ": \($0)" } ?? ""
            throw CommandError(.failure, "No notification was answered\(reason). Check the URL and the target's log.")
        case .void:
            let reasons = result.voidReasons.joined(separator: "; ")
            throw CommandError(
                .failure,
                "The run is void: \(reasons). Give the generator more resources, or lower the load."
            )
        }
    }

    private func write(_ data: Data, _ path: String) throws {
        do {
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandError(.cannotWrite, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
