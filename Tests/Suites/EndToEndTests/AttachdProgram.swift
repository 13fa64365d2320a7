import Foundation
import Payloads
import Support

/// The built program, run as a user runs it.
struct AttachdProgram {
    /// The outcome of one run.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
        /// The contents of the file that `--report` wrote.
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
    /// The path of the program to start.
    private(set) var executable = Self.path
    /// The program that starts this one, with its arguments, if another does.
    var launcher: [String] = []

    init() throws { folder = try TemporaryFolder() }

    /// Returns a program whose decoder obeys its source.
    static func withEvilDecoder() throws -> AttachdProgram {
        var attachd = try AttachdProgram()
        let built = URL(filePath: path).deletingLastPathComponent()
        for (name, source) in [("attachd", "attachd"), ("attachd-decoder", "evil-decoder")] {
            let copy = attachd.folder.url.appending(path: name)
            try FileManager.default.copyItem(at: built.appending(path: source), to: copy)
        }
        attachd.executable = attachd.folder.url.appending(path: "attachd").path
        return attachd
    }

    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "attachd").path

    var store: String { folder.url.appending(path: "store").path }

    /// The files below `tmp/`. A finished job leaves none.
    var leftovers: [String] { folder.files.filter { $0.hasPrefix("store/tmp/") } }

    /// Starts the program with `input` as its standard input and the file `errors` for its standard error.
    func start(_ arguments: [String], input: [UInt8] = [], errors: String = "/dev/null") throws -> ChildProgram {
        let inputFile = folder.url.appending(path: "input-\(UUID().uuidString)")
        try Data(input).write(to: inputFile)
        return try ChildProgram(
            launcher + [executable] + arguments,
            in: folder.url,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 },
            input: inputFile.path,
            errors: errors,
        )
    }

    /// Runs the program to its end, on its own thread.
    func run(_ arguments: [String], input: [UInt8] = []) async throws -> Outcome {
        let errors = folder.url.appending(path: "errors-\(UUID().uuidString)").path
        let program = try start(arguments, input: input, errors: errors)
        let result: Result<(Int32, [UInt8]), any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: Result {
                        let output = try program.readToEnd()
                        return (program.wait(), output)
                    }
                )
            }
        }
        let (status, output) = try result.get()
        return Outcome(
            status: status,
            output: String(decoding: output, as: UTF8.self),
            errors: (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "",
        )
    }

    /// Runs `attachd process` for a payload whose attachment is at `url`.
    func process(_ url: String, _ arguments: [String] = []) async throws -> Outcome {
        try await process(payload: #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#, arguments)
    }

    /// Runs `attachd process` for a whole payload.
    func process(payload: String, _ arguments: [String] = []) async throws -> Outcome {
        let report = folder.url.appending(path: "result.json")
        var outcome = try await run(
            ["process", "--store", store, "--report", report.path, "--allow-address", "127.0.0.1"] + arguments,
            input: Array(payload.utf8),
        )
        outcome.result = (try? Data(contentsOf: report)).flatMap { try? JSONValue(parsing: [UInt8]($0)) }
        return outcome
    }
}
