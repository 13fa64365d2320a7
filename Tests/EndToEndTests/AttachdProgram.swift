import Foundation
import Payloads
import Support

/// The built program, as a user runs it.
struct AttachdProgram {
    /// What one run came to.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
        /// What `--report` wrote.
        var result: JSONValue?

        /// The rung of the first attachment.
        var rung: String? { value("/attachments/0/rung")?.text }
        var outcome: String? { result?["outcome"]?.text }

        func value(_ pointer: String) -> JSONValue? {
            (try? JSONPointer(pointer)).flatMap { result?.value(at: $0) }
        }

        func number(_ pointer: String) -> Int? { value(pointer)?.double.map { Int($0) } }
    }

    let folder: TemporaryFolder
    var environment: [String: String] = [:]

    init() throws { folder = try TemporaryFolder() }

    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "attachd").path

    var store: String { folder.url.appending(path: "store").path }

    /// The files below `tmp/`, of which none may be left after a job.
    var leftovers: [String] { folder.files.filter { $0.hasPrefix("store/tmp/") } }

    /// Starts the program; `input` is its standard input.
    func start(_ arguments: [String], input: [UInt8] = []) throws -> (Process, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 }
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        try pipes.input.fileHandleForWriting.write(contentsOf: input)
        try pipes.input.fileHandleForWriting.close()
        return (process, pipes.output, pipes.errors)
    }

    /// Runs the program to its end, on a thread of its own.
    func run(_ arguments: [String], input: [UInt8] = []) async throws -> Outcome {
        let result: Result<Outcome, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try runBlocking(arguments, input) })
            }
        }
        return try result.get()
    }

    private func runBlocking(_ arguments: [String], _ input: [UInt8]) throws -> Outcome {
        let (process, output, errors) = try start(arguments, input: input)
        let outputBytes = try output.fileHandleForReading.readToEnd() ?? Data()
        let errorBytes = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: String(decoding: outputBytes, as: UTF8.self),
            errors: String(decoding: errorBytes, as: UTF8.self),
        )
    }

    /// `attachd process` for a payload whose attachment is at `url`.
    func process(_ url: String, _ arguments: [String] = []) async throws -> Outcome {
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
        let report = folder.url.appending(path: "result.json")
        var outcome = try await run(
            ["process", "--store", store, "--report", report.path, "--allow-address", "127.0.0.1"] + arguments,
            input: Array(payload.utf8),
        )
        outcome.result = (try? Data(contentsOf: report)).flatMap { try? JSONValue(parsing: [UInt8]($0)) }
        return outcome
    }
}
