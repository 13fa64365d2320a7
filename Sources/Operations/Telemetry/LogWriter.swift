import Glibc
import Synchronization

/// The writer of log lines. A line that cannot be written at once is dropped and counted: notifications wait for neither
/// a full pipe nor a full disk.
package final class LogWriter: Sendable {
    package static let standardError = LogWriter { tryToWrite($0, to: STDERR_FILENO) }

    /// Writes a line, and returns `false` if that has to wait or is not possible.
    private let output: @Sendable ([UInt8]) -> Bool
    private let droppedCount = Mutex(0)

    package init(_ output: @escaping @Sendable ([UInt8]) -> Bool) { self.output = output }

    /// Writes the line that `make` returns for the number of lines dropped before it.
    func write(_ make: (Int) -> [UInt8]) {
        // One line at a time: no other line takes the space that `poll` found in the pipe.
        droppedCount.withLock { dropped in
            dropped = output(make(dropped)) ? 0 : dropped + 1
        }
    }

    /// Writes `line` if `descriptor` takes it at once. A pipe that can be written to has space for `PIPE_BUF` bytes: pipe(7).
    private static func tryToWrite(_ line: [UInt8], to descriptor: Int32) -> Bool {
        var rest = line[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { return false }
            let piece = Array(rest.prefix(Int(PIPE_BUF)))
            let count = unsafe Glibc.write(descriptor, piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
