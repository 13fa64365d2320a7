import Foundation
import Logging
import Synchronization
import Telemetry
import Testing

@Suite("Logs as JSON")
struct JSONLogHandlerTests {
    @Test("an event is one line with its message, level and metadata")
    func line() throws {
        let lines = Lines()
        var logger = Logger(label: "test") { label in JSONLogHandler(label: label, writer: lines.writer) }
        logger[metadataKey: "job.id"] = "7"
        logger.warning("two\nlines", metadata: ["reason": "stalled"])
        let line = try #require(lines.all.first)
        #expect(line.last == UInt8(ascii: "\n") && line.dropLast().contains(UInt8(ascii: "\n")) == false)
        let fields = try JSONDecoder().decode([String: String].self, from: line)
        #expect(fields["message"] == "two\nlines" && fields["level"] == "warning")
        #expect(fields["job.id"] == "7" && fields["reason"] == "stalled" && fields["time"]?.hasSuffix("Z") == true)
    }
}

extension JSONLogHandlerTests {
    @Test("lines that nobody takes are dropped, and the next one tells how many", arguments: ["json", "text"])
    func dropped(format: String) throws {
        let lines = Lines()
        let logger = Logger(label: "test") { label in
            if format == "json" { return JSONLogHandler(label: label, writer: lines.writer) }
            return TextLogHandler(label: label, writer: lines.writer)
        }
        lines.isFull.withLock { $0 = true }
        for _ in 0..<3 { logger.info("lost") }
        #expect(lines.all.isEmpty)
        lines.isFull.withLock { $0 = false }
        logger.info("written", metadata: ["reason": "stalled"])
        logger.info("written again")
        let texts = lines.all.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.count == 2 && texts[0].contains("written") && texts[0].contains("stalled"))
        #expect(texts[0].contains("dropped_lines") && texts[0].contains("3") && !texts[1].contains("dropped_lines"))
        #expect(texts.allSatisfy { $0.hasSuffix("\n") && $0.filter { $0 == "\n" }.count == 1 })
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[Data]>([])
    let isFull = Mutex(false)
    var writer: LogWriter {
        LogWriter { [self] line in
            guard !isFull.withLock({ $0 }) else { return false }
            lines.withLock { $0.append(Data(line)) }
            return true
        }
    }
    var all: [Data] { lines.withLock { $0 } }
}
