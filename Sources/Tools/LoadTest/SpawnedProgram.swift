import CLinux
package import Foundation
import Glibc
import Media
import Synchronization
import Timing
package import Values

/// A program that runs during the load test and ends with it.
package final class SpawnedProgram: Sendable {
    private final class Life: Sendable {
        struct State {
            var isOver = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        let state = Mutex(State())

        var isOver: Bool { state.withLock(\.isOver) }

        func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                return state.waiting
            }
            for waiter in waiting { waiter.resume() }
        }

        func ended() async {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(waiter) }
                    return state.isOver
                }
                if isOver { waiter.resume() }
            }
        }
    }

    /// The time that the program has to end after SIGTERM.
    private static let patience = Duration.seconds(10)
    private static let keeper = "/usr/bin/setpriv"

    package let identifier: Int32
    private let name: String
    private let log: URL
    private let life: Life

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
        let life = Life()
        self.name = name
        self.log = log
        self.life = life
        let hasKeeper = FileManager.default.isExecutableFile(atPath: Self.keeper)
        let command = (hasKeeper ? [Self.keeper, "--pdeathsig", "TERM", "--"] : []) + [path] + arguments
        let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ATTACHD_") }
            .merging(secrets.mapValues(\.revealed)) { $1 }
        identifier = try await withCheckedThrowingContinuation { started in
            // The kernel sends the signal when the thread that started the program ends, so this thread waits for the
            // program.
            Thread.detachNewThread {
                let process = Self.start(command, variables.map { "\($0)=\($1)" }, log: log.path)
                guard process > 0 else {
                    return started.resume(
                        throwing: LoadTestError.failure("\(name) could not be started. Check that it is installed.")
                    )
                }
                started.resume(returning: process)
                var status: Int32 = 0
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
                life.end()
            }
        }
    }

    /// The program's output so far.
    package var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Waits until the output matches, and returns the match's first group.
    package func output(matching pattern: Regex<(Substring, Substring)>, within limit: Duration) async throws -> String
    {
        let time = SystemTime()
        let end = time.now + limit
        while true {
            if let match = try? pattern.firstMatch(in: output) { return String(match.1) }
            guard time.now < end, !life.isOver else { throw failure("did not start") }
            try await time.sleep(until: time.now + .milliseconds(20))
        }
    }

    /// Returns an error that says what happened, with the end of the program's output.
    package func failure(_ what: String) -> LoadTestError {
        .failure("\(name) \(what):\n" + output.split(separator: "\n").suffix(5).joined(separator: "\n"))
    }

    /// Stops the program, and waits until it has ended. Kills it if it takes too long.
    package func stop() async {
        // Runs in its own task, so that a cancelled load test stops the program too.
        await Task {
            guard !life.isOver else { return }
            kill(identifier, SIGTERM)
            let force = Task { [identifier] in
                try await SystemTime().sleep(until: SystemTime().now + Self.patience)
                kill(identifier, SIGKILL)
            }
            await life.ended()
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
