import Base
package import Foundation

/// A text file that a program writes, such as its log, and that a test waits for. The kernel tells of each change
/// (inotify), so nothing is read again without one.
package struct WatchedFile: Sendable {
    package let url: URL
    private static let limit = Duration.seconds(BlockingLimit.seconds)
    private static let changes = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)

    package init(_ url: URL) { self.url = url }

    /// The text so far, which is empty if there is no file yet.
    package var text: String { (try? String(contentsOf: url, encoding: .utf8)) ?? "" }

    /// Waits until `look` returns a value for the text, for at most five minutes. Blocks the thread.
    package func waitNow<Value>(for what: String, _ look: (String) throws -> Value?) throws -> Value {
        let watcher = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(watcher) }
        let end = SystemTime().now + Self.limit
        var events = [UInt8](repeating: 0, count: 16_384)
        while true {
            // A program may also make the file's folder only later.
            let folder = url.deletingLastPathComponent()
            for path in [folder.deletingLastPathComponent().path, folder.path] {
                _ = unsafe inotify_add_watch(watcher, path, Self.changes)
            }
            let text = text
            if let value = try look(text) { return value }
            let left = Int32(clamping: Int64((end - SystemTime().now) / .milliseconds(1)))
            var polled = pollfd(fd: watcher, events: Int16(POLLIN), revents: 0)
            guard left > 0, unsafe poll(&polled, 1, left) > 0 else {
                throw HTTPClient.Failure(message: "\(url.lastPathComponent) never had \(what): \(text.suffix(2000))")
            }
            _ = unsafe read(watcher, &events, events.count)
        }
    }

    /// Waits until `look` returns a value for the text, for at most five minutes, on a thread of its own.
    package func wait<Value: Sendable>(
        for what: String,
        _ look: @escaping @Sendable (String) throws -> Value?
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { waiter in
            Thread.detachNewThread { waiter.resume(with: Result { try waitNow(for: what, look) }) }
        }
    }

    /// Waits until `count` lines contain `words`.
    package func wait(for words: String, count: Int = 1) async throws {
        try await wait(for: "\(count) lines with \(words)") { text in
            text.split(separator: "\n").count { $0.contains(words) } >= count ? () : nil
        }
    }
}
