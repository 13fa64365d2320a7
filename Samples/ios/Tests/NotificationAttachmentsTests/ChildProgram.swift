import Foundation

/// A program that a test starts. It ends with its owner.
final class ChildProgram: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Only one task reads at a time.
    private var rest = ""

    init(_ command: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory()].merging(environment) { $1 }
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    func end() {
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// Reads lines of the output until there is one that begins with the text, and returns what follows it there.
    func line(beginning text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.nextLine(beginning: text) }) }
        }
    }

    private func nextLine(beginning text: String) throws -> String {
        while true {
            while let end = rest.firstIndex(of: "\n") {
                let line = String(rest[..<end])
                rest = String(rest[rest.index(after: end)...])
                if line.hasPrefix(text) { return String(line.dropFirst(text.count)) }
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
            rest += String(decoding: data, as: UTF8.self)
        }
    }
}
