import ArgumentParser
import Base
import Foundation
import Media
import UnixSignals

/// The exit status of the program: values of sysexits.h, and three more.
enum ExitStatus: Int32 {
    /// The command itself failed.
    case failure = 1
    /// An outcome was not `complete`, with `--strict`.
    case notComplete = 3
    /// A load test missed a budget, or a figure got worse.
    case budgetMissed = 4
    /// EX_USAGE
    case usage = 64
    /// EX_DATAERR
    case badInput = 65
    /// EX_NOINPUT
    case inputNotFound = 66
    /// EX_CANTCREAT
    case cannotWrite = 73
    /// EX_TEMPFAIL
    case tryLater = 75
    /// EX_CONFIG
    case badConfiguration = 78

    var code: ExitCode { ExitCode(rawValue) }
}

/// An error that ends the command with a message on standard error and an exit status.
struct CommandError: Error, CustomStringConvertible {
    var status: ExitStatus
    var description: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.description = message
    }
}

/// A command that reports its errors as a message and an exit status.
protocol ReportedCommand: AsyncParsableCommand {
    func perform() async throws
}

extension ReportedCommand {
    func run() async throws {
        do {
            try await perform()
        } catch {
            guard let reported = CommandError(of: error) else { throw error }
            StandardError.write(reported.description)
            throw reported.status.code
        }
    }
}

/// The messages of commands on standard error.
enum StandardError {
    /// Writes a message on one line, with the program's name before it.
    static func write(_ message: String) {
        FileHandle.standardError.write(Data("attachd: \(message.onOneLine())\n".utf8))
    }
}

/// Rows as lines of text, with the cells of each column aligned.
enum TextColumns {
    static func text(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).dropLast().map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return (cells + [row.last ?? ""]).joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}

// MARK: - Signals

/// The handling of SIGINT and SIGTERM for commands that clean up before they end.
enum Signals {
    /// Runs `body`. If the process is told to stop, cancels `body` and returns `nil`.
    static func untilToldToStop<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
