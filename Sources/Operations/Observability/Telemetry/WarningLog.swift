package import Base
package import Logging
import Synchronization

/// A log for warnings that a peer can cause in any number: of each message, it writes a few lines in a while, and then
/// counts.
package final class WarningLog: Sendable {
    /// The lines of one message in each window.
    private static let burst = 10
    private static let window: Duration = .seconds(10)

    private struct Window {
        var start: Instant
        var lines = 0
        var suppressed = 0
    }

    private let logger: Logger
    private let time: any TimeSource
    /// The windows by message. The program has few messages, and none has text from outside.
    private let windows = Mutex<[String: Window]>([:])

    package init(_ logger: Logger, time: any TimeSource = SystemTime()) {
        self.logger = logger
        self.time = time
    }

    /// Writes a line, or counts it. The next line of the same message in a new window tells how many are missing.
    func warn(_ message: StaticString, level: Logger.Level = .warning, _ metadata: Logger.Metadata = [:]) {
        let text = "\(message)"
        guard let suppressed = admit(text) else { return }
        var metadata = metadata
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.log(level: level, "\(text)", metadata: metadata)
    }

    /// Returns the number of lines that were suppressed before this one; `nil` if it is suppressed, too.
    private func admit(_ message: String) -> Int? {
        let now = time.now
        return windows.withLock { windows in
            var window = windows[message] ?? Window(start: now)
            defer { windows[message] = window }
            if now - window.start >= Self.window {
                let suppressed = window.suppressed
                window = Window(start: now, lines: 1)
                return suppressed
            }
            guard window.lines < Self.burst else {
                window.suppressed += 1
                return nil
            }
            window.lines += 1
            return 0
        }
    }
}
