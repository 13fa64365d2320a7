import Foundation

/// The places of what tests start.
enum Samples {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    static let folder = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let faulty = tests.appending(path: "faulty.py").path
}

/// A program that a test starts. It ends with its owner.
final class ChildProgram: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The bytes beyond the last line. Only one task reads at a time.
    private var rest = ""

    init(_ command: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory()]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
    }

    deinit { end() }

    func end() {
        guard process.isRunning else { return }
        try? input.fileHandleForWriting.close()
        // A program that is started from a thread of Dispatch inherits that thread's mask, which blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
    }

    func wait() { process.waitUntilExit() }

    func write(line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Reads lines until one has the text, and returns what follows the text there.
    func answer(_ text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.read(text) }) }
        }
    }

    private func read(_ text: String) throws -> String {
        var lines: [String] = []
        while true {
            while let end = rest.firstIndex(of: "\n") {
                let line = String(rest[..<end])
                rest = String(rest[rest.index(after: end)...])
                if let range = line.range(of: text) { return String(line[range.upperBound...]) }
                lines.append(line)
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Ended(output: lines.joined(separator: "\n")) }
            rest += String(decoding: data, as: UTF8.self)
        }
    }

    /// The program ended before it wrote what was expected.
    struct Ended: Error { let output: String }
}
