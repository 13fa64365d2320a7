import App
import ArgumentParser
import Batch
import Foundation
import Settings
import UnixSignals

struct BatchCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Converts every media file below a folder to an attachment.",
        discussion: """
            The output has the same folders as the input. A file keeps its name, with the extension of its new type: \
            a/photo.heic becomes a/photo.jpg. If two outputs would have the same name, both keep their complete names: \
            photo.heic.jpg, photo.png.jpg. manifest.jsonl has a line for every file, and report.html shows all files. \
            The command does not change the input and does not follow links. It does not use the store or the queue.

            Patterns are like those of .gitignore: *.jpg matches at any depth, summer/** everything below that folder. \
            Upper and lower case are equal.
            """,
    )

    @Argument(help: "The folder of media files.", completion: .directory)
    var input: String
    @Option(
        help: "The folder to write to: a new or empty folder or, with --resume, the output of an earlier batch.",
        completion: .directory
    )
    var out: String
    @Flag(help: "Continue an earlier run. Files are recognized by their content, even after they were renamed.")
    var resume = false
    @Flag(help: "Write nothing. Print the planned work as a line of JSON for each file.")
    var dryRun = false
    @Option(help: "Convert only files that match this pattern; may be repeated.", transform: Self.glob)
    var include: [Glob] = []
    @Option(help: "Skip files and folders that match this pattern; may be repeated.", transform: Self.glob)
    var exclude: [Glob] = []
    @Flag(help: "Exit with status 3 if the outcome of any file is not complete.")
    var strict = false
    @OptionGroup var common: GeneralOptions<BatchSettings>

    func perform() async throws {
        let settings = try common.settings()
        settings.startLogging()
        let folders = try BatchFolders(input: input, output: out, resumes: resume)
        let selection = FileSelection(include: include, exclude: exclude)
        let engine = try BatchEngine(settings, selection: selection)
        if dryRun {
            try DryRun(folders, engine.options, resumes: resume).run { print($0) }
            return await engine.shutDown()
        }
        if settings.requiresSandbox {
            try await undoing({ await engine.shutDown() }) { try await engine.checkSandbox() }
        }
        try await work(folders, engine)
    }

    private func work(_ folders: BatchFolders, _ engine: BatchEngine) async throws {
        let monitor = BatchMonitor()
        let signals = Task { await Self.stop(monitor) }
        let display = ProgressDisplay(monitor: monitor)
        let shown = Task { await display.run() }
        var failure: BatchError?
        do throws(BatchError) { try await engine.run(folders, monitor: monitor) } catch { failure = error }
        shown.cancel()
        await shown.value
        await engine.shutDown()
        signals.cancel()
        if let failure { throw failure }
        let progress = monitor.progress
        print(progress.summary(in: folders.output))
        if let signal = monitor.signal { throw ExitCode(128 + signal) }
        let others = progress.degraded + progress.original
        if strict, others > 0 {
            throw CommandError(.notComplete, "Not complete: \(others) of \(progress.total) files.")
        }
    }

    /// Stops the batch on signals: the first one lets files in progress finish, the second one does not.
    private static func stop(_ monitor: BatchMonitor) async {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            if monitor.isStopped { _exit(128 + signal.rawValue) }
            monitor.stop(by: signal.rawValue)
            let message = "\nStopping after the files in progress. Repeat to stop at once. Continue with --resume.\n"
            FileHandle.standardError.write(Data(message.utf8))
        }
    }

    private static func glob(_ text: String) throws -> Glob {
        guard let glob = Glob(text) else { throw ValidationError("Write a pattern such as *.jpg or summer/**.") }
        return glob
    }
}

// MARK: - The display

/// A display of a batch's progress on standard error: one changing line on a terminal, otherwise a line now and then.
struct ProgressDisplay {
    let monitor: BatchMonitor
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now

    /// Shows the progress until the task is cancelled, and then the final state.
    func run() async {
        while (try? await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))) != nil { show() }
        show()
        if isTerminal { write("\n") }
    }

    private func show() {
        let text = monitor.progress.text(after: ContinuousClock.now - start)
        // Return to the beginning of the line and erase its old text.
        write(isTerminal ? "\r\(text)\u{1B}[K" : "\(text)\n")
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
