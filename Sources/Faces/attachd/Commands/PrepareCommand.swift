import App
import ArgumentParser
import Foundation
import Jobs
import Payloads
import Settings

struct PrepareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare",
        abstract: "Has a running attachd make sources ready ahead of time, and prints an answer for each, one a line.",
        discussion: """
            Each line of the file is a JSON object: {"source": URL, "profile"?: NAME, "until"?: TIME}, where the time is \
            such as 2026-12-01T18:00:00Z or 6h. Until then, notifications with that source and profile download and \
            decode nothing, at this attachd and, where the fleet shares a bucket and a Redis, at all others.

            The status is 3 if a source is not ready.
            """,
    )

    @Argument(help: "The file with one source a line, or - for standard input.", completion: .file())
    var file = "-"
    @Option(
        help: "Write a page with all pictures, types, sizes and failures to this file as HTML.",
        completion: .file()
    )
    var report: String?
    @OptionGroup var server: ServerOptions
    @OptionGroup var common: CommonOptions

    /// The number of sources that one request asks for.
    private static let listLength = 20

    func run() async throws {
        try await CommandError.reported {
            try OutputPath.check(report)
            let settings = try common.settings(server.options)
            let sources = try sources(in: PayloadInput.readAll(file))
            let client = try SidecarClient(settings)
            defer { client.shutDown() }
            var answers: [JSONValue] = []
            do {
                for start in stride(from: 0, to: sources.count, by: Self.listLength) {
                    let part = try await client.prepare(Array(sources[start...].prefix(Self.listLength)))
                    for answer in part { print(answer.compactText) }
                    answers += part
                }
            } catch let error as JobQueueError {
                throw CommandError(error)
            }
            if let report { try write(PrepareReport(sources: sources, answers: answers), to: report) }
            let missing = answers.count { $0["ready"] != .bool(true) }
            guard missing == 0 else {
                throw CommandError(.notComplete, "\(missing) of \(answers.count) sources are not ready; see above.")
            }
        }
    }

    private func sources(in bytes: [UInt8]) throws -> [JSONValue] {
        try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }
            .map { index, line in
                do throws(JSONError) {
                    return try JSONValue(parsing: Array(line))
                } catch {
                    throw CommandError(.badInput, "\(file), line \(index + 1): \(error)")
                }
            }
    }

    private func write(_ report: PrepareReport, to path: String) throws {
        do {
            try Data(report.html.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandError(.cannotWrite, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
