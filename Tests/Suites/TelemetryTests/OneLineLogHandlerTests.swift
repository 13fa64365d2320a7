import Logging
import Observability
import Synchronization
import Testing

@Suite("Logs on one line")
struct OneLineLogHandlerTests {
    @Test("a text from outside starts no new line, and is truncated if it is too long")
    func oneLine() throws {
        let events = Events()
        var logger = Logger(label: "test") { _ in OneLineLogHandler(events) }
        logger[metadataKey: "job"] = "7\n2026-01-01 critical attachd: forged"
        logger.warning(
            "first\nsecond \u{1B}[2J",
            metadata: ["reason": "a\r\nb", "list": ["c\nd"], "long": "\(String(repeating: "x", count: 100_000))"],
        )
        let text = events.text
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 } && text.utf8.count < 10_000)
        #expect(text.contains(#"first\nsecond \u{1B}[2J"#) && text.contains(#"a\r\nb"#) && text.contains("forged"))
        #expect(logger.logLevel == .info)
    }
}

private final class Events: LogHandler {
    private struct State {
        var texts: [String] = []
        var metadata: Logger.Metadata = [:]
        var level = Logger.Level.info
    }

    private let state = Mutex(State())

    var text: String { state.withLock { ($0.texts + $0.metadata.map { "\($0)=\($1)" }).joined(separator: " ") } }

    var logLevel: Logger.Level {
        get { state.withLock(\.level) }
        set { state.withLock { $0.level = newValue } }
    }

    var metadata: Logger.Metadata {
        get { state.withLock(\.metadata) }
        set { state.withLock { $0.metadata = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { state.withLock { $0.metadata[key] } }
        set { state.withLock { $0.metadata[key] = newValue } }
    }

    func log(event: LogEvent) {
        state.withLock { $0.texts.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
