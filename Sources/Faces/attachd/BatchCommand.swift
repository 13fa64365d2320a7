import App
import ArgumentParser
import Batch
import Foundation
import UnixSignals

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Makes every media file below a folder ready as an attachment.",
        discussion: """
            The output has the input's folders; a file keeps its name, with the extension of what it became: \
            a/photo.heic becomes a/photo.jpg. Where that would meet another file's output, both keep their whole names: \
            photo.heic.jpg, photo.png.jpg. manifest.jsonl has a line for every file, and report.html shows them all. \
            The input is never written to, and no link is followed. --store, --queue and the like are not used. \
            --deadline is for each file, and 300s if none is given.

            Patterns are as in .gitignore: *.jpg matches at any depth, summer/** all below that folder. Upper and \
            lower case don't matter.
            """,
    )

    @Argument(help: "The folder of media files.", completion: .directory)
    var input: String
    @Option(help: "The folder to write to: a new or empty one, or with --resume a batch's own.", completion: .directory)
    var out: String
    @Flag(help: "Go on where an earlier run stopped. Files are known by their content, whatever they are called now.")
    var resume = false
    @Flag(help: "Write nothing, and print what would be done: a line of JSON for each file.")
    var dryRun = false
    @Option(help: "Work on files that match this pattern only; may be repeated.", transform: Self.glob)
    var include: [Glob] = []
    @Option(help: "Leave out files and folders that match this pattern; may be repeated.", transform: Self.glob)
    var exclude: [Glob] = []
    @Flag(help: "Exit with status 3 when the outcome of some file is not complete.")
    var strict = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await CommandError.reported {
            let settings = try await common.settings()
            settings.startLogging()
            do {
                let place = try BatchPlace(input: input, output: out, resumes: resume)
                let selection = FileSelection(include: include, exclude: exclude)
                let engine = try BatchEngine.start(settings, selection: selection)
                if dryRun {
                    try DryRun(place, engine.options, resumes: resume).run { print($0) }
                    return await engine.shutDown()
                }
                if settings.requiresSandbox { try await engine.insistOnSandbox() }
                try await work(place, engine)
            } catch let error as BatchError {
                throw CommandError(error.cause == .inputNotFound ? .inputNotFound : .cannotWrite, "\(error)")
            }
        }
    }

    private func work(_ place: BatchPlace, _ engine: BatchEngine) async throws {
        let monitor = BatchMonitor()
        let signals = Task { await Self.stop(monitor) }
        let display = ProgressDisplay(monitor: monitor)
        let shown = Task { await display.run() }
        var failure: BatchError?
        do throws(BatchError) { try await engine.run(place, monitor: monitor) } catch { failure = error }
        shown.cancel()
        await shown.value
        await engine.shutDown()
        signals.cancel()
        if let failure { throw failure }
        let progress = monitor.progress
        print(progress.summary(in: place.output))
        guard !monitor.isStopped else { throw ExitCode(128 + SIGINT) }
        let others = progress.degraded + progress.original
        if strict, others > 0 {
            throw CommandError(.notComplete, "Not complete: \(others) of \(progress.total) files.")
        }
    }

    /// The first signal lets what is under way be finished, the second one doesn't.
    private static func stop(_ monitor: BatchMonitor) async {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            if monitor.isStopped { _exit(128 + SIGINT) }
            monitor.stop()
            let message = "\nStopping: what is under way is finished. Once more to stop at once; --resume goes on.\n"
            FileHandle.standardError.write(Data(message.utf8))
        }
    }

    private static func glob(_ text: String) throws -> Glob {
        guard let glob = Glob(text) else { throw ValidationError("Write a pattern such as *.jpg or summer/**.") }
        return glob
    }
}

extension BatchEngine {
    /// Starts the decoders, or ends the command with a message that says what to do.
    fileprivate static func start(_ settings: Settings, selection: FileSelection) throws -> BatchEngine {
        do throws(EngineError) {
            return try BatchEngine(settings, selection: selection)
        } catch {
            throw CommandError(.failure, error.description)
        }
    }

    fileprivate func insistOnSandbox() async throws {
        do throws(EngineError) {
            try await checkSandbox()
        } catch {
            await shutDown()
            throw CommandError(.failure, error.description)
        }
    }
}
