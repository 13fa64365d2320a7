import Base
import Foundation
import Payloads
import Support
import Testing

@Suite("attachd batch", .timeLimit(.minutes(10)))
struct BatchTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    private var input: URL { attachd.folder.url.appending(path: "in") }
    private var output: URL { attachd.folder.url.appending(path: "out") }
    /// The number of files in the trial; the environment may ask for more.
    private static let fileCount = ProcessInfo.processInfo.environment["ATTACHD_MIXED_FILES"].flatMap { Int($0) } ?? 150

    private func arguments(_ more: [String] = []) -> [String] { ["batch", input.path, "--out", output.path] + more }

    /// The manifest's complete lines.
    private var lines: [JSONValue] {
        get throws {
            let file = output.appending(path: "manifest.jsonl")
            guard let data = try? Data(contentsOf: file) else { return [] }
            return try data.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
                .map { try JSONValue(parsing: Array($0)) }
        }
    }

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = input.appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private static let photo = SampleMedia.photoURL

    @Test("a folder keeps its shape: the photo is scaled down, and there is a summary, a manifest and a report")
    func folder() async throws {
        let photo = [UInt8](try Data(contentsOf: Self.photo))
        try write("2026/hut.JPEG", photo)
        try write("notes.txt", Array("a list".utf8))
        let outcome = try await attachd.run(arguments())
        #expect(outcome.status == 0, "\(outcome.errors)")
        let summary = try JSONValue(parsing: Array(outcome.output.utf8.dropLast()))
        #expect(summary["complete"] == 1 && summary["original"] == 1 && summary["files"] == 2)
        #expect(outcome.errors.contains("2 of 2 (100 %) · 1 done, 1 failed"))
        let line = try #require(try lines.first)
        #expect(line["output"]?.text == "2026/hut.jpg" && line["bytes"] == .integer(photo.count))
        let url = try #require(line.value(at: JSONPointer("/attachments/0/url"))?.text.flatMap { URL(string: $0) })
        #expect(
            try Data(contentsOf: url).count
                == line.value(at: JSONPointer("/attachments/0/bytes"))?.double.map { Int($0) }
        )
        #expect(line.value(at: try JSONPointer("/attachments/0/width")) == 1038)
        let report = try String(contentsOf: output.appending(path: "report.html"), encoding: .utf8)
        #expect(report.contains("data:image/jpeg;base64,/9j/") && !report.contains("http://"))
        #expect(!FileManager.default.fileExists(atPath: attachd.store))
    }

    @Test("bad locations and options have the documented status, and a message that says what to do")
    func badInput() async throws {
        try write("a.txt", Array("x".utf8))
        let nowhere = try await attachd.run(["batch", "/nowhere", "--out", output.path])
        #expect(nowhere.status == 66 && nowhere.errors.contains("/nowhere"))
        let inside = try await attachd.run(["batch", input.path, "--out", input.path + "/out"])
        #expect(inside.status == 73 && inside.errors.contains("--out"))
        let unwritable = try await attachd.run(["batch", input.path, "--out", "/proc/out"])
        #expect(unwritable.status == 73)
        #expect(try await attachd.run(arguments(["--include", "/"])).status == 64)
        #expect(try await attachd.run(arguments(["--profile", "nokia"])).status == 78)
        #expect(try await attachd.run(arguments(["--dry-run"])).output.contains(#""action":"skip""#))
        #expect(!FileManager.default.fileExists(atPath: output.path))
        let strict = try await attachd.run(arguments(["--strict"]))
        #expect(strict.status == 3 && strict.output.contains(#""original":1"#))
        let again = try await attachd.run(arguments())
        #expect(again.status == 73 && again.errors.contains("--resume"))
    }

    @Test("each file has its own deadline, and a second run with more time improves the degraded files")
    func deadline() async throws {
        try write("hut.jpg", [UInt8](try Data(contentsOf: Self.photo)))
        let hasty = try await attachd.run(arguments(["--deadline", "1ms"]))
        #expect(hasty.status == 0)
        #expect(try lines.first?["outcome"]?.text == "original")
        #expect(try lines.first?.value(at: JSONPointer("/errors/0/reason"))?.text == "timedOut")
        #expect(try await attachd.run(arguments(["--resume"])).status == 0)
        #expect(try lines.count == 1 && lines.first?["outcome"]?.text == "complete")
    }

    @Test(
        "after an interruption, a kill and two resumes every file is accounted for, and none was done twice",
        .needsSharedMedia
    )
    func interruptions() async throws {
        try MixedFiles(count: Self.fileCount).write(below: input)
        let files = attachd.folder.files.filter { $0.hasPrefix("in/") }.map { String($0.dropFirst(3)) }
        let first = try await interrupt(SIGTERM, at: files.count / 4)
        #expect(first.status == 143)
        let second = try await interrupt(SIGKILL, at: files.count / 2)
        #expect(second.status == -SIGKILL)
        let last = try await attachd.run(arguments(["--resume"]))
        #expect(last.status == 0, "\(last.errors)")

        let lines = try lines
        #expect(lines.compactMap { $0["path"]?.text }.sorted() == files.sorted())
        let identifiers = Dictionary(
            lines.map { ($0["path"]?.text ?? "", $0["id"]?.text) },
            uniquingKeysWith: { first, _ in first },
        )
        for run in [first, second] {
            #expect(!run.identifiers.isEmpty && run.identifiers.allSatisfy { identifiers[$0.key] == $0.value })
        }
        let outputs = lines.compactMap { $0["output"]?.text }.sorted()
        let own = ["manifest.jsonl", "report.html", ".attachd-batch/previews"]
        let there = attachd.folder.files.filter { $0.hasPrefix("out/") }.map { String($0.dropFirst(4)) }
        #expect(there.filter { !own.contains($0) } == outputs)
        try await lookAtReport(files.count)
    }

    /// Starts or resumes a batch, signals it once the manifest has `lineCount` lines, and returns the identifiers so
    /// far.
    private func interrupt(_ signal: Int32, at lineCount: Int) async throws -> (
        status: Int32, identifiers: [String: String]
    ) {
        let resumes = FileManager.default.fileExists(atPath: output.path) ? ["--resume"] : []
        let program = try attachd.start(arguments(resumes))
        let manifest = WatchedFile(output.appending(path: "manifest.jsonl"))
        try await manifest.wait(for: "\(lineCount) lines") { text in
            text.count { $0 == "\n" } >= lineCount ? () : nil
        }
        kill(pid_t(program.identifier), signal)
        let status: Int32 = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: program.wait()) }
        }
        let done = try lines.compactMap { line in line["id"]?.text.map { (line["path"]?.text ?? "", $0) } }
        return (status, Dictionary(done, uniquingKeysWith: { _, last in last }))
    }

    /// Opens the report in a browser, which runs the report's script under its own policy.
    private func lookAtReport(_ fileCount: Int) async throws {
        let chromium = "/usr/bin/chromium"
        try #require(FileManager.default.isExecutableFile(atPath: chromium), "install what Scripts/packages.txt names")
        let profile = attachd.folder.url.appending(path: "chromium").path
        let browser = try ChildProgram(
            [
                chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir=\(profile)", "--dump-dom", output.appending(path: "report.html").absoluteString,
            ],
            in: attachd.folder.url,
        )
        let page: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try browser.readToEnd() }) }
        }
        browser.wait()
        let text = String(decoding: page, as: UTF8.self)
        #expect(text.contains("\(fileCount) of \(fileCount) shown"))
        #expect(text.contains(#"<img loading="lazy""#))
    }
}
