import Glibc
import Synchronization

/// The writer of log lines. A line that cannot be written at once is dropped and counted: notifications wait for neither
/// a full pipe nor a full disk.
package final class LogWriter: Sendable {
    package static let standardError = LogWriter { tryToWrite($0, to: STDERR_FILENO) }

    private struct State {
        /// The number of lines dropped since the last one.
        var dropped = 0
        /// A Boolean value that indicates whether the last line was cut in its middle.
        var isCut = false
    }

    /// Writes as much of a line as can be written without waiting, and returns the number of bytes.
    private let output: @Sendable ([UInt8]) -> Int
    private let state = Mutex(State())

    package init(_ output: @escaping @Sendable ([UInt8]) -> Int) { self.output = output }

    /// Writes the line that `make` returns for the number of lines dropped before it.
    func write(_ make: (Int) -> [UInt8]) {
        // One line at a time: no other line takes the space that `poll` found in the pipe.
        state.withLock { state in
            // After a cut line, the next one begins at the start of a line all the same.
            let line = (state.isCut ? [UInt8(ascii: "\n")] : []) + make(state.dropped)
            let count = output(line)
            if count > 0 { state.isCut = count < line.count }
            state.dropped = count == line.count ? 0 : state.dropped + 1
        }
    }

    /// Writes what `descriptor` takes of `line` at once. A pipe that can be written to has space for `PIPE_BUF` bytes:
    /// pipe(7).
    private static func tryToWrite(_ line: [UInt8], to descriptor: Int32) -> Int {
        var rest = line[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { break }
            let piece = Array(rest.prefix(Int(PIPE_BUF)))
            let count = unsafe Glibc.write(descriptor, piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return line.count - rest.count
    }
}
