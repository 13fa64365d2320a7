package import Foundation

/// A program that a test starts and stops. It inherits only its standard output from the test.
///
/// A long-running program started by Foundation's `Process` inherits the descriptors by which it waits for others, so
/// that those seem never to end.
package final class ChildProgram: Sendable {
    private let process: pid_t
    private let output: FileHandle

    /// A script that enters the folder and closes inherited descriptors; `posix_spawn` of Swift's Glibc has no actions
    /// for that.
    private static let launcher = """
        cd "$0" || exit 127
        for descriptor in /proc/self/fd/*; do
            descriptor=${descriptor##*/}
            (( descriptor > 2 )) && eval "exec $descriptor>&-"
        done
        exec "$@"
        """

    /// Starts `command`: the program's path, then its arguments. Standard input and error are files.
    package init(
        _ command: [String],
        in folder: URL,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        input: String = "/dev/null",
        errors: String = "/dev/null",
    ) throws {
        let pipe = Pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForWriting.fileDescriptor, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        let arguments = ["bash", "-c", Self.launcher, folder.path] + command
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process = pid_t()
        let status = unsafe posix_spawn(&process, "/bin/bash", &actions, nil, &words, &variables)
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
        self.process = process
        output = pipe.fileHandleForReading
        try pipe.fileHandleForWriting.close()
    }

    package var identifier: Int { Int(process) }

    /// Returns the next line that begins with `prefix`, without its newline, or `nil` if the program ends without one.
    package func readLine(beginning prefix: String) throws -> String? {
        try readLine { $0.hasPrefix(prefix) }
    }

    /// Returns the next line for which `isWanted` is true, without its newline, or `nil` if the program ends without
    /// one.
    package func readLine(where isWanted: (String) -> Bool) throws -> String? {
        var line: [UInt8] = []
        while let byte = try nextByte() {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if isWanted(text) { return text }
            line = []
        }
        return nil
    }

    /// Returns the next byte of the output, or `nil` at its end. Throws if the program writes none in time.
    private func nextByte() throws -> UInt8? {
        var polled = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&polled, 1, Int32(BlockingLimit.seconds * 1000)) != 0 else { throw POSIXError(.ETIMEDOUT) }
        return try output.read(upToCount: 1)?.first
    }

    /// Returns the rest of the output, up to the program's end. A program that doesn't end in time is killed.
    package func readToEnd() throws -> [UInt8] {
        let limit = DispatchWorkItem { [process] in Glibc.kill(process, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(BlockingLimit.seconds), execute: limit)
        defer { limit.cancel() }
        return [UInt8](try output.readToEnd() ?? Data())
    }

    /// Waits for the end and returns the exit status, or the negative number of the signal that ended it. Call it once.
    ///
    /// A program that doesn't end in time is killed.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        let end = ContinuousClock.now + .seconds(BlockingLimit.seconds)
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            if ContinuousClock.now >= end { Glibc.kill(process, SIGKILL) }
            usleep(1000)
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    /// Asks the program to end.
    package func terminate() { Glibc.kill(process, SIGTERM) }

    package func kill() {
        Glibc.kill(process, SIGKILL)
        wait()
    }
}
