import Foundation
import Logging
import Observability
import Synchronization
import Testing

@Suite("Log lines")
struct LineLogHandlerTests {
    @Test("an event is one line with its message, level and metadata")
    func line() throws {
        let lines = Lines()
        var logger = Logger(label: "test") { label in LineLogHandler(label: label, format: .json, writer: lines.writer)
        }
        logger[metadataKey: "job.id"] = "7"
        logger.warning("two\nlines", metadata: ["reason": "stalled"])
        let line = try #require(lines.all.first)
        #expect(line.last == UInt8(ascii: "\n") && line.dropLast().contains(UInt8(ascii: "\n")) == false)
        let fields = try JSONDecoder().decode([String: String].self, from: line)
        #expect(fields["message"] == "two\nlines" && fields["level"] == "warning")
        #expect(fields["job.id"] == "7" && fields["reason"] == "stalled" && fields["time"]?.hasSuffix("Z") == true)
    }
}

extension LineLogHandlerTests {
    @Test("lines that nobody takes are dropped, and the next one tells how many", arguments: LogFormat.allCases)
    func dropped(format: LogFormat) throws {
        let lines = Lines()
        let logger = Logger(label: "test") { label in
            LineLogHandler(label: label, format: format, writer: lines.writer)
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

extension LineLogHandlerTests {
    @Test("a line that was cut in its middle ends there, and the next one begins at the start of a line")
    func cut() throws {
        let written = Mutex<[UInt8]>([])
        let space = Mutex(10)
        let writer = LogWriter { line in
            let count = min(line.count, space.withLock { $0 })
            written.withLock { $0 += line.prefix(count) }
            return count
        }
        let logger = Logger(label: "test") { label in LineLogHandler(label: label, format: .text, writer: writer) }
        logger.info("cut")
        space.withLock { $0 = 0 }
        logger.info("lost")
        space.withLock { $0 = .max }
        logger.info("whole")
        let lines = String(decoding: written.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines[0].utf8.count == 10)
        #expect(lines.last?.hasSuffix("dropped_lines=2 whole") == true)
    }

    @Test("values of the task stand in the line, and those of the event come before them")
    func provided() throws {
        let lines = Lines()
        let provider = Logger.MetadataProvider { ["trace_id": "1", "reason": "none"] }
        let logger = Logger(label: "test") { label in
            var handler = LineLogHandler(label: label, format: .text, writer: lines.writer)
            handler.metadataProvider = provider
            return handler
        }
        logger.info("done", metadata: ["reason": "stalled"])
        let line = try #require(lines.all.first.map { String(decoding: $0, as: UTF8.self) })
        #expect(line.contains("reason=stalled trace_id=1 done"))
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[Data]>([])
    let isFull = Mutex(false)
    var writer: LogWriter {
        LogWriter { [self] line in
            guard !isFull.withLock({ $0 }) else { return 0 }
            lines.withLock { $0.append(Data(line)) }
            return line.count
        }
    }
    var all: [Data] { lines.withLock { $0 } }
}
