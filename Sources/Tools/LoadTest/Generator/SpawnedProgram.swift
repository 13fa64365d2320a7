package import Base
import CLinux
package import Foundation
import Glibc
import Media
import Synchronization

/// A program that runs during the load test and ends with it.
package final class SpawnedProgram: Sendable {
    /// The time that the program has to end after SIGTERM.
    private static let timeLimit = Duration.seconds(10)
    private static let keeper = "/usr/bin/setpriv"

    package let identifier: Int32
    private let name: String
    private let log: URL
    /// Set when the program has ended.
    private let ended: OneShot<Void>

    /// Starts the program at `path` with its output in the file `log`. If this process dies, the program gets SIGTERM,
    /// provided that util-linux is installed. `secrets` become environment variables, because everybody on the machine
    /// can read a command line.
    package init(
        _ path: String,
        _ arguments: [String],
        secrets: [String: Secret<String>] = [:],
        log: URL,
    ) async throws {
        let name = ([URL(filePath: path).lastPathComponent] + arguments.prefix(1)).joined(separator: " ")
        let ended = OneShot<Void>()
        self.name = name
        self.log = log
        self.ended = ended
        let hasKeeper = FileManager.default.isExecutableFile(atPath: Self.keeper)
        let command = (hasKeeper ? [Self.keeper, "--pdeathsig", "TERM", "--"] : []) + [path] + arguments
        let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ATTACHD_") }
            .merging(secrets.mapValues(\.revealed)) { $1 }
        let started: Int32? = await withWaiter { started in
            // The kernel takes the end of the thread that starts it for ours: this one waits for the program.
            Thread.detachNewThread {
                let process = Self.start(command, variables.map { "\($0)=\($1)" }, log: log.path)
                guard process > 0 else { return started.resume(returning: nil) }
                started.resume(returning: process)
                var status: Int32 = 0
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
                ended.set()
            }
        }
        guard let started else { throw LoadTestError.failure("\(name) cannot be started.") }
        identifier = started
    }

    /// Its output until now.
    package var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Waits until what it prints matches, and gives the match's first group.
    package func output(matching pattern: Regex<(Substring, Substring)>, within limit: Duration) async throws -> String
    {
        let time = SystemTime()
        let end = time.now + limit
        while true {
            if let match = try? pattern.firstMatch(in: output) { return String(match.1) }
            guard time.now < end, ended.current == nil else { throw failure("did not start") }
            try await time.sleep(for: .milliseconds(20))
        }
    }

    /// The reason of its failure, with the end of its output.
    package func failure(_ what: String) -> LoadTestError {
        .failure("\(name) \(what):\n" + output.split(separator: "\n").suffix(5).joined(separator: "\n"))
    }

    /// Ends it, and waits for that; by force if it takes too long.
    package func stop() async {
        // Also where the load test was cancelled: nothing may be left.
        await Task {
            guard ended.current == nil else { return }
            kill(identifier, SIGTERM)
            let force = Task { [identifier] in
                try await SystemTime().sleep(for: Self.timeLimit)
                kill(identifier, SIGKILL)
            }
            _ = await ended.value()
            force.cancel()
        }
        .value
    }

    private static func start(_ command: [String], _ environment: [String], log: String) -> Int32 {
        let file = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return -1 }
        defer { close(file) }
        let arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        return unsafe clinux_start_logged(command[0], arguments, variables, file)
    }
}

// MARK: - Resident memory

/// The source of the target's resident memory, if it can be measured.
package enum ResidentMemory: Sendable {
    /// A process on this machine.
    case process(Int32)
    /// The metric `process_resident_memory_bytes` of the target.
    case metrics(HTTPConnections)

    private static let timeLimit = Duration.seconds(2)

    package var bytes: Int? {
        get async {
            switch self {
            case .process(let identifier):
                return ProcessMemory.bytes(of: identifier)
            case .metrics(let connections):
                let end = SystemTime().now + Self.timeLimit
                guard let reply = try? await connections.send(HTTPMessage(path: "/metrics"), until: end) else {
                    return nil
                }
                let name = "process_resident_memory_bytes "
                return String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
                    .first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }.map { Int(clamping: $0) }
            }
        }
    }

    /// The time between two measurements. Reading a file costs nothing, but metrics cost the target some work.
    private var interval: Duration {
        if case .process = self { .milliseconds(100) } else { .seconds(1) }
    }

    /// Measures the memory at intervals, until the task is cancelled.
    func watch(_ record: StepRecord, time: any TimeSource) async {
        while !Task.isCancelled {
            if let bytes = await bytes { record.noteResident(bytes) }
            do { try await time.sleep(for: interval) } catch { return }
        }
    }
}
