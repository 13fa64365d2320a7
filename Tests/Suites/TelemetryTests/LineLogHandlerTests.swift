import Dispatch
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
        lines.writer.flush()
        let line = try #require(lines.all.first)
        #expect(line.last == UInt8(ascii: "\n") && line.dropLast().contains(UInt8(ascii: "\n")) == false)
        let fields = try JSONDecoder().decode([String: String].self, from: line)
        #expect(fields["message"] == #"two\nlines"# && fields["level"] == "warning")
        #expect(fields["job.id"] == "7" && fields["reason"] == "stalled" && fields["time"]?.hasSuffix("Z") == true)
    }
}

extension LineLogHandlerTests {
    @Test("a text from outside starts no new line, and is truncated if it is too long")
    func oneLine() throws {
        let lines = Lines()
        var logger = Logger(label: "test") { LineLogHandler(label: $0, format: .text, writer: lines.writer) }
        logger[metadataKey: "job"] = "7\n2026-01-01 critical attachd: forged"
        logger.warning(
            "first\nsecond \u{1B}[2J",
            metadata: ["reason": "a\r\nb", "list": ["c\nd"], "long": "\(String(repeating: "x", count: 100_000))"],
        )
        lines.writer.flush()
        let text = String(decoding: try #require(lines.all.first).dropLast(), as: UTF8.self)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 } && text.utf8.count < 10_000)
        #expect(text.contains(#"first\nsecond \u{1B}[2J"#) && text.contains(#"a\r\nb"#) && text.contains("forged"))
    }

    @Test("lines that nobody takes are dropped, and the next one tells how many", arguments: LogFormat.allCases)
    func dropped(format: LogFormat) throws {
        let lines = Lines()
        let logger = Logger(label: "test") { label in
            LineLogHandler(label: label, format: format, writer: lines.writer)
        }
        lines.isFull = true
        for _ in 0..<3 { logger.info("lost") }
        lines.writer.flush()
        #expect(lines.all.isEmpty)
        lines.isFull = false
        logger.info("written", metadata: ["reason": "stalled"])
        lines.writer.flush()
        logger.info("written again")
        lines.writer.flush()
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
        writer.flush()
        space.withLock { $0 = 0 }
        logger.info("lost")
        writer.flush()
        space.withLock { $0 = .max }
        logger.info("whole")
        writer.flush()
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
        lines.writer.flush()
        let line = try #require(lines.all.first.map { String(decoding: $0, as: UTF8.self) })
        #expect(line.contains("reason=stalled trace_id=1 done"))
    }
}

extension LineLogHandlerTests {
    @Test("whoever logs does not wait for an output that takes nothing; the lines that do not fit are counted")
    func stuck() {
        let gate = DispatchSemaphore(value: 0)
        let written = Mutex<[UInt8]>([])
        let writer = LogWriter { line in
            gate.wait()
            gate.signal()
            written.withLock { $0 += line }
            return line.count
        }
        let logger = Logger(label: "test") { label in LineLogHandler(label: label, format: .text, writer: writer) }
        let long = String(repeating: "x", count: 1000)
        for _ in 0..<3000 { logger.info("\(long)") }
        gate.signal()
        writer.flush()
        logger.info("last")
        writer.flush()
        let lines = String(decoding: written.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        let dropped = lines.last?.firstMatch(of: /dropped_lines=(\d+) last/).flatMap { Int($0.1) }
        #expect(lines.count < 3000 && lines.count - 1 + (dropped ?? 0) == 3000)
    }
}

private final class Lines: Sendable {
    private final class Taken: Sendable {
        let lines = Mutex<[Data]>([])
        let isFull = Mutex(false)
    }

    private let taken: Taken
    let writer: LogWriter

    init() {
        let taken = Taken()
        self.taken = taken
        writer = LogWriter { lines in
            guard !taken.isFull.withLock({ $0 }) else { return 0 }
            taken.lines.withLock { $0.append(Data(lines)) }
            return lines.count
        }
    }

    var isFull: Bool {
        get { taken.isFull.withLock { $0 } }
        set { taken.isFull.withLock { $0 = newValue } }
    }

    var all: [Data] { taken.lines.withLock { $0 } }
}
