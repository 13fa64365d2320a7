import Base
import Dispatch
import Glibc
import Synchronization

/// The writer of log lines: a buffer, and one thread that writes what is in it, several lines at a time.
///
/// No notification waits for it. A terminal that nobody reads, a full pipe or a full disk stops only this thread. Lines that
/// the buffer has no space for, or that cannot be written, are dropped and counted, and the next line says how many.
package final class LogWriter: Sendable {
    /// The writer to standard error. Its last lines are written when the process ends.
    package static let standardError: LogWriter = {
        let writer = LogWriter { writeAll($0, to: STDERR_FILENO) }
        atexit { LogWriter.standardError.flush(within: LogWriter.lastTime) }
        return writer
    }()

    private struct State {
        var waiting: [UInt8] = []
        /// The number of lines dropped since the last one.
        var dropped = 0
        var isWriting = false
        var hasThread = false
    }

    /// The buffer's size in bytes: some thousand lines.
    private static let capacity = 1_000_000
    /// The time for which a first line waits for others, in microseconds: otherwise each would cost a change of threads.
    private static let gatheringTime: UInt32 = 2000
    /// The time that the last lines have at the end of the process.
    private static let lastTime = Duration.milliseconds(100)

    /// Writes bytes, however long that takes, and returns the number of bytes that were written.
    private let output: @Sendable ([UInt8]) -> Int
    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)

    package init(_ output: @escaping @Sendable ([UInt8]) -> Int) { self.output = output }

    /// Puts the line that `make` returns for the number of lines dropped before it into the buffer.
    func write(_ make: (Int) -> [UInt8]) {
        let dropped = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        let line = make(dropped)
        let (isStarted, isFirst) = state.withLock { state in
            guard state.waiting.count + line.count <= Self.capacity else {
                state.dropped += dropped + 1
                return (true, false)
            }
            let isFirst = state.waiting.isEmpty
            state.waiting += line
            defer { state.hasThread = true }
            return (state.hasThread, isFirst)
        }
        // The thread takes all lines that wait.
        if isFirst { changed.signal() }
        if !isStarted { start() }
    }

    /// Returns as soon as all lines are written, or after `limit`.
    package func flush(within limit: Duration = .seconds(10)) {
        let end = SystemTime().now + limit
        while state.withLock({ $0.isWriting || !$0.waiting.isEmpty }), SystemTime().now < end { usleep(1000) }
    }

    private func start() {
        do {
            try OwnThread.start("log") { self.run() }
        } catch {
            // The next line tries again.
            state.withLock { $0.hasThread = false }
        }
    }

    private func run() -> Never {
        // After a line that was cut in its middle, the next one begins at the start of a line all the same.
        var isCut = false
        while true {
            changed.wait()
            usleep(Self.gatheringTime)
            let lines = state.withLock { state in
                defer { state.waiting = [] }
                state.isWriting = !state.waiting.isEmpty
                return state.waiting
            }
            guard !lines.isEmpty else { continue }
            let bytes = (isCut ? [UInt8(ascii: "\n")] : []) + lines
            let count = output(bytes)
            if count > 0 { isCut = bytes[count - 1] != UInt8(ascii: "\n") }
            let lost = bytes[count...].count { $0 == UInt8(ascii: "\n") }
            state.withLock { state in
                state.dropped += lost
                state.isWriting = false
            }
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(65_536))
            let count = unsafe Glibc.write(descriptor, piece, piece.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // The parent process may have made the descriptor non-blocking.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&request, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return bytes.count - rest.count
    }
}
