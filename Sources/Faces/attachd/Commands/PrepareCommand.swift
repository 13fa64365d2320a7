import App
import ArgumentParser
import Foundation
import Media
import Payloads
import Settings
import Timing

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
    /// The number of times that a request is sent to an attachd with too much to do, a second apart.
    private static let attemptLimit = 60

    func run() async throws {
        try await CommandError.reported {
            try OutputPath.check(report)
            let settings = try common.settings(server.options)
            let sources = try sources(in: PayloadInput.readAll(file))
            let client = try SidecarClient(settings)
            defer { client.shutDown() }
            var answers: [JSONValue] = []
            var problem: AttachmentFailure?
            do throws(AttachmentFailure) {
                for start in stride(from: 0, to: sources.count, by: Self.listLength) {
                    let part = try await prepare(Array(sources[start...].prefix(Self.listLength)), client)
                    for answer in part { print(answer.compactText) }
                    answers += part
                }
            } catch {
                problem = error
            }
            if let report { try write(PrepareReport(sources: sources, answers: answers), to: report) }
            if let problem { throw CommandError(.failure, problem.message) }
            let missing = answers.count { $0["ready"] != .bool(true) }
            guard missing == 0 else {
                throw CommandError(.notComplete, "\(missing) of \(answers.count) sources are not ready; see above.")
            }
        }
    }

    /// Has the sources prepared. Waits while the running attachd has too much to do.
    private func prepare(_ sources: [JSONValue], _ client: SidecarClient) async throws(AttachmentFailure) -> [JSONValue]
    {
        for _ in 0..<Self.attemptLimit {
            if let answers = try await client.prepare(sources) { return answers }
            // A failed sleep is a cancelled command.
            try? await SystemTime().sleep(for: .seconds(1))
        }
        throw AttachmentFailure(
            .download,
            .originUnavailable,
            "The running attachd has too much to do. Try again later."
        )
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
