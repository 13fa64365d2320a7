import Base
import Files
import Media
package import Processing
import Synchronization

/// A batch, which converts every media file below a folder to an attachment. Start reading at `handle`, which converts
/// one file.
package final class BatchRun: Sendable {
    private let folders: BatchFolders
    private let options: BatchOptions
    private let monitor: BatchMonitor
    private let conversion: FileConversion
    private let output: OutputFolder
    private let journal: BatchJournal
    private let previews: PreviewFile
    /// The limit of files in conversion: one more than the decoders, so that no decoder waits for the disk.
    private let turns: AsyncSemaphore
    private let number = Atomic(0)
    private let failure = Mutex<BatchError?>(nil)
    private static let disk = WorkThreads("batch", limit: 64)

    /// Returns the number of files in conversion for a number of decoders.
    package static func slots(forDecoders decoders: Int) -> Int { decoders + 1 }

    /// Creates the output's folder and reads the results of an earlier run.
    package init(
        _ folders: BatchFolders,
        _ options: BatchOptions,
        monitor: BatchMonitor,
        decoders: any AttachmentConverting,
    ) throws(BatchError) {
        self.folders = folders
        self.options = options
        self.monitor = monitor
        conversion = FileConversion(options: options, decoders: decoders)
        turns = AsyncSemaphore(permits: Self.slots(forDecoders: options.decoders))
        guard Self.disk.append({}) != nil else {
            throw BatchError(.cannotWrite, "The process may have no more threads. Raise the limit (ulimit -u).")
        }
        output = try folders.createOutput()
        do throws(FileError) {
            journal = try BatchJournal(input: folders.input, output: output)
            previews = try PreviewFile(in: output.scratch)
        } catch {
            throw BatchError(.cannotWrite, "\(error). Choose another --out.")
        }
    }

    /// Does work that may wait for the disk.
    private static func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        guard let value = await disk.perform(evenIfCancelled: true, work) else {
            preconditionFailure("a batch began with a thread")
        }
        return value
    }

    /// Runs until every file is in the manifest, or until the monitor stops the batch and the files in progress are
    /// finished.
    package func run() async throws(BatchError) {
        defer { output.release() }
        let total = await Self.onDisk { [self] in walk.reduce(0) { count, _ in count + 1 } }
        monitor.update { $0.total = total }
        // Some files are read ahead, others wait for the disk.
        let permits = AsyncSemaphore(permits: 2 * options.decoders + 8)
        let entries = Mutex(walk)
        await withDiscardingTaskGroup { group in
            while !monitor.isStopped, let entry = await Self.onDisk({ entries.withLock { $0.next() } }) {
                guard (try? await permits.acquire()) != nil else { break }
                group.addTask { [self] in
                    await handle(entry)
                    permits.release()
                }
            }
        }
        if let failure = failure.withLock(\.self) { throw failure }
        try await finish()
    }

    private var walk: TreeWalk {
        TreeWalk(folders.input, options, output: FileIdentity(folder: output.root.descriptor))
    }

    private func handle(_ entry: TreeWalk.Entry) async {
        switch entry.kind {
        case .file(let name): await handle(entry.path, name)
        default: await note(entry.unusable)
        }
    }

    private func handle(_ path: RelativePath, _ name: OutputName) async {
        guard !monitor.isStopped else { return }
        let opened = await Self.onDisk { [self] in
            Result { () throws(AttachmentFailure) in
                let file = try SourceFile(at: path, below: folders.input, limits: options.limits)
                return (file, try file.sha256())
            }
        }
        let (file, sha256): (SourceFile, String)
        switch opened {
        case .success(let opened): (file, sha256) = opened
        case .failure(let failure): return await note(ManifestLine(path, outcome: .original, because: failure))
        }
        let content = ManifestLine.Content(
            sha256: sha256,
            byteCount: file.byteCount,
            options: options.fingerprint,
        )
        switch await Self.onDisk({ [self] in journal.decide(path, name, content) }) {
        case .keep(let line): return count(line) { $0.kept += 1 }
        case .reuse(let row):
            let outcome = await journal.add(.reuse(row, path: path, name))
            if case .written(let line) = outcome { return count(line) { $0.reused += 1 } }
        case .make: break
        }
        await make(file, path, name, content)
    }

    private func make(
        _ file: SourceFile,
        _ path: RelativePath,
        _ name: OutputName,
        _ content: ManifestLine.Content,
    ) async {
        guard (try? await turns.acquire()) != nil else { return }
        guard !monitor.isStopped else { return turns.release() }
        let product = await conversion.convert(file, at: path, content)
        turns.release()
        guard let rung = product.rung else { return await note(product.line) }
        let number = number.add(1, ordering: .relaxed).newValue
        let written = await Self.onDisk { [output] in
            Result { () throws(FileError) in try output.write(rung, number: number) }
        }
        switch written {
        case .failure(let error): await give(up: path, content, error)
        case .success(let scratch):
            let target = name.path(pathExtension: rung.report.format.filenameExtension)
            if let preview = product.preview {
                await Self.onDisk { [previews] in previews.add(preview, of: scratch.sha256) }
            }
            switch await journal.add(.made(product.line, target, scratch)) {
            case .written(let line): count(line)
            case .failed(let error): await give(up: path, content, error)
            case .known, .lost: break
            }
        }
    }

    /// Records that a file's output could not be written. If the disk is full, the whole batch fails.
    private func give(up path: RelativePath, _ content: ManifestLine.Content, _ error: FileError) async {
        guard !error.isFull else { return fail(error) }
        let failure = AttachmentFailure(.store, .storeFailed, "The output could not be written: \(error.reason).")
        await note(ManifestLine(path, content, outcome: .original, because: failure))
    }

    private func note(_ line: ManifestLine) async {
        switch await journal.add(.line(line)) {
        case .written: count(line)
        case .known: count(line) { $0.kept += 1 }
        case .lost: break
        case .failed(let error): fail(error)
        }
    }

    private func count(_ line: ManifestLine, _ more: (inout BatchProgress) -> Void = { _ in }) {
        monitor.update { progress in
            progress.count(line.outcome)
            more(&progress)
        }
    }

    /// Ends the batch because no output can be written. Finished files are kept.
    private func fail(_ error: FileError) {
        let message = "\(error). Finished files are kept. Free some disk space, and continue with --resume."
        failure.withLock { $0 = $0 ?? BatchError(.cannotWrite, message) }
        monitor.stop()
    }

    /// Sorts the manifest and writes the report.
    private func finish() async throws(BatchError) {
        let result = await Self.onDisk { [self] in
            Result { () throws(FileError) in
                let report = try ReportPage(in: output, previews: previews, title: folders.input.path)
                try journal.finish { report.add($0) }
                try report.finish()
                output.sweep()
            }
        }
        if case .failure(let error) = result {
            throw BatchError(.cannotWrite, "\(error). Finished files are kept. Continue with --resume.")
        }
    }
}

extension TreeWalk.Entry {
    /// The manifest's line for an entry that is not a file.
    var unusable: ManifestLine {
        let (outcome, message): (ManifestLine.Outcome, String) =
            switch kind {
            case .unreadableFolder(let error):
                (.original, "The folder cannot be read, so its files are missing: \(error.reason).")
            case .takenName:
                (.original, "The batch writes a file of this name, so the files in it are missing. Rename the folder.")
            case .ownFolder: (.skipped, "The folder belongs to a batch, so its files are not converted.")
            case .link: (.skipped, "attachd does not follow symbolic links.")
            case .special, .file: (.skipped, "A pipe, a socket or a device is not a file.")
            }
        return ManifestLine(path, outcome: outcome, because: AttachmentFailure(.download, .invalidURL, message))
    }
}

// MARK: - Errors

/// An error that keeps a batch from beginning or continuing. The message says what to do.
package struct BatchError: Error, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        case usage, inputNotFound, cannotWrite
    }

    package var cause: Cause
    package var description: String

    init(_ cause: Cause, _ message: String) {
        self.cause = cause
        description = message
    }
}

// MARK: - The conversion of one file

/// The conversion of one file by the same pipeline as a notification's attachment.
struct FileConversion: Sendable {
    /// The result of a conversion.
    struct Product: Sendable {
        var line: ManifestLine
        var rung: ReadyRung?
        var preview: [UInt8]?
    }

    let options: BatchOptions
    let decoders: any AttachmentConverting
    private let costs = CostModel()
    private let time = SystemTime()

    func convert(_ file: SourceFile, at path: RelativePath, _ content: ManifestLine.Content) async -> Product {
        let output = KeptOutput()
        let steps = AttachmentPipeline.Steps(
            downloader: LocalFile(descriptor: file.descriptor, size: file.byteCount, owner: file),
            converter: decoders,
            store: output,
        )
        let start = time.now
        let request = SourceRequest(
            url: "batch:file",
            profile: options.profile,
            limits: options.limits,
            thumbnailEdge: options.thumbnailEdge,
            waitsForWholePictures: true,
            accepted: start,
        )
        let result = await AttachmentPipeline(steps: steps, time: time, costs: costs, memory: options.memory)
            .process(request, deadline: start + options.timeLimit)
        if file.hasChanged {
            return Product(line: ManifestLine(path, outcome: .original, because: SourceFile.changed))
        }
        let line = ManifestLine(path, content, result.members)
        guard result.attachment != nil, let rung = output.rung else { return Product(line: line) }
        return Product(line: line, rung: rung, preview: result.thumbnail)
    }
}

/// A store that keeps the pipeline's output for the batch, which moves it to its location.
private final class KeptOutput: AttachmentStoring {
    private let state = Mutex<ReadyRung?>(nil)

    var rung: ReadyRung? { state.withLock(\.self) }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        state.withLock { $0 = rung }
        // The manifest names the location and the content later.
        return StoredFile(identifier: "", url: "", sha256: "")
    }

    func renew(_ stored: StoredFile) async -> StoredFile? { nil }
}
