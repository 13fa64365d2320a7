import ArgumentParser
import Foundation
import LoadTest

/// What a load test is judged by, and where its result goes.
struct ReportOptions: ParsableArguments {
    @Option(help: "What must be kept, such as 'p99<1.8s', 'late=0' or 'degraded<5%'; may be repeated.")
    var budget: [String] = []
    @Option(help: "An older run's --json: fail if a percentile or a share got worse.")
    var compare: String?
    @Option(help: "Write the result to this file, as JSON.")
    var json: String?
    @Option(help: "Write a report with plots to this file, as HTML.")
    var report: String?
    @Option(help: "Write the budgets to this file, as JUnit XML.")
    var junit: String?

    func compare(_ result: inout LoadResult) throws {
        guard let compare else { return }
        guard let data = FileManager.default.contents(atPath: compare) else {
            throw CommandError(.inputNotFound, "\(compare) cannot be read: is it there?")
        }
        let old: LoadResult
        do {
            old = try LoadResult(json: data)
        } catch {
            throw CommandError(.badInput, "\(compare) is no result of a load test, as --json writes it.")
        }
        result.changes = try RunComparison(of: result, with: old).changes
    }

    /// Writes what was asked for, prints the rest, and ends the command where a budget was missed.
    func write(_ result: LoadResult) throws {
        if let json { try write(try result.json, json) }
        if let report { try write(Data(try HTMLReport(result).html.utf8), report) }
        if let junit { try write(Data(try JUnitReport(result).xml.utf8), junit) }
        FileHandle.standardOutput.write(Data("\(result.text)\n".utf8))
        switch result.verdict {
        case .passed, .measured: break
        case .missed: throw CommandError(.budgetMissed, "A budget was missed, or something got worse; see above.")
        case .void:
            let reasons = result.voidReasons.joined(separator: "; ")
            throw CommandError(
                .failure,
                "The run is void: \(reasons). Give the generator more of the machine, or send less."
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
