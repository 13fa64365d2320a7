import ArgumentParser
import Foundation
import Media
import Values

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

    /// Runs a command and reports its errors as a message and an exit status.
    static func reported(_ command: () async throws -> Void) async throws {
        do {
            try await command()
        } catch let error as CommandError {
            StandardError.write(error.description)
            throw error.status.code
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
