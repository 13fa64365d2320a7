import Foundation

/// A program that a test starts and stops, with nothing of the test's but its standard output and error.
///
/// Foundation's `Process` lets a program that runs long inherit the descriptors by which it waits for others, so that
/// those seem never to end.
final class ChildProgram {
    private let process: pid_t
    private let output: FileHandle

    /// Goes to its folder and closes what it inherited; `posix_spawn` of Swift's Glibc has no actions for that.
    private static let launcher = """
        cd "$0" || exit 127
        for descriptor in /proc/self/fd/*; do
            descriptor=${descriptor##*/}
            (( descriptor > 2 )) && eval "exec $descriptor>&-"
        done
        exec "$@"
        """

    /// `command` is the program's path, then its arguments.
    init(_ command: [String], in folder: URL) throws {
        let pipe = Pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForWriting.fileDescriptor, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let arguments = ["bash", "-c", Self.launcher, folder.path] + command
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        let status = unsafe posix_spawn(&process, "/bin/bash", &actions, nil, &words, environ)
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
        self.process = process
        output = pipe.fileHandleForReading
        try pipe.fileHandleForWriting.close()
    }

    /// The next line that begins so, without its newline; `nil` when the program ends without one.
    func readLine(beginning prefix: String) throws -> String? {
        var line: [UInt8] = []
        while let byte = try output.read(upToCount: 1)?.first {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix(prefix) { return text }
            line = []
        }
        return nil
    }

    /// Waits for the end; 0 is success.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        return status
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        wait()
    }
}
