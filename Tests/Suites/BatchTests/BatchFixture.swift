import Base
import Foundation
import Media
import Payloads
import Processing
import Support
import Synchronization

@testable import Batch

/// An input folder, an output folder, and decoders that accept every file without looking at it.
final class BatchFixture: Sendable {
    let folder: TemporaryFolder
    let decoders = CountingDecoders()

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
    }

    var input: String { folder.url.appending(path: "in").path }
    var output: String { folder.url.appending(path: "out").path }

    /// Writes an input file that begins like a PNG. Different words make different contents.
    func write(_ path: String, _ word: String) throws {
        try write(path, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(word.utf8))
    }

    func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = URL(filePath: input).appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(input)/\(path)") }

    func rename(_ path: String, to new: String) throws {
        let target = URL(filePath: input).appending(path: new)
        let folder = target.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: URL(filePath: input).appending(path: path), to: target)
    }

    /// Runs a batch to its end.
    @discardableResult
    func run(
        resumes: Bool = false,
        options: String = "0000",
        include: [String] = [],
        exclude: [String] = [],
        monitor: BatchMonitor = BatchMonitor(),
    ) async throws -> BatchProgress {
        let folders = try BatchFolders(input: input, output: output, resumes: resumes)
        let selection = FileSelection(include: include.compactMap(Glob.init), exclude: exclude.compactMap(Glob.init))
        let options = BatchOptions(
            selection: selection,
            profile: .apns,
            fingerprint: options,
            timeLimit: .seconds(60),
            decoders: 2,
        )
        let run = try BatchRun(folders, options, monitor: monitor, decoders: decoders)
        try await run.run()
        return monitor.progress
    }

    /// The lines of the manifest on disk.
    var lines: [ManifestLine] {
        get throws {
            try String(contentsOfFile: "\(output)/manifest.jsonl", encoding: .utf8).split(separator: "\n")
                .map { ManifestLine(json: try JSONValue(parsing: Array($0.utf8))) }
        }
    }

    /// The output of each file according to the manifest; `-` if there is none.
    var outputs: [String: String] {
        get throws {
            Dictionary(
                try lines.map { ($0.path?.text ?? "", $0.output?.text ?? "-") },
                uniquingKeysWith: { "\($0) and \($1)" },
            )
        }
    }

    /// The made files: the word of the source, by path.
    var made: [String: String] {
        get throws {
            let root = URL(filePath: output)
            let own = ["manifest.jsonl", "report.html"]
            let paths = folder.files.filter { $0.hasPrefix("out/") && !$0.contains(".attachd-batch/") }
                .map { String($0.dropFirst(4)) }.filter { !own.contains($0) }
            return Dictionary(
                uniqueKeysWithValues: try paths.map { path in
                    let bytes = try Data(contentsOf: root.appending(path: path))
                    return (path, String(decoding: bytes.dropFirst(3), as: UTF8.self))
                }
            )
        }
    }
}

/// Decoders that turn each source into a JPEG with its first bytes, and count.
final class CountingDecoders: AttachmentConverting {
    private let converted = Mutex<[String]>([])
    private let failing = Mutex<AttachmentFailure.Reason?>(nil)

    /// The words of the decoded sources, sorted.
    var words: [String] { converted.withLock { $0.sorted() } }

    func forget() { converted.withLock { $0 = [] } }

    /// Makes every later conversion fail for `reason`.
    func fail(_ reason: AttachmentFailure.Reason?) { failing.withLock { $0 = reason } }

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        let word = Array(job.file.prefix(100).dropFirst(8))
        converted.withLock { $0.append(String(decoding: word, as: UTF8.self)) }
        if let reason = failing.withLock(\.self) { throw AttachmentFailure(.decode, reason, "The test says so.") }
        let bytes = [0xFF, 0xD8, 0xFF] + word
        let output = try OutputFile(capacity: bytes.count)
        unsafe pwrite(output.descriptor, bytes, bytes.count, 0)
        let report = RungReport(rung: .downscaled, format: .jpeg, byteCount: bytes.count, width: 1, height: 1)
        job.onEvent(.output(ReadyRung(report: report, file: output)))
        return .zero
    }
}
