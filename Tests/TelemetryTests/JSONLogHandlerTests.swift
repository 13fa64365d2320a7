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
        var logger = Logger(label: "test") { label in JSONLogHandler(label: label) { lines.add($0) } }
        logger[metadataKey: "job.id"] = "7"
        logger.warning("two\nlines", metadata: ["reason": "stalled"])
        let line = try #require(lines.all.first)
        #expect(line.last == UInt8(ascii: "\n") && line.dropLast().contains(UInt8(ascii: "\n")) == false)
        let fields = try JSONDecoder().decode([String: String].self, from: line)
        #expect(fields["message"] == "two\nlines" && fields["level"] == "warning")
        #expect(fields["job.id"] == "7" && fields["reason"] == "stalled" && fields["time"]?.hasSuffix("Z") == true)
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[Data]>([])
    func add(_ line: Data) { lines.withLock { $0.append(line) } }
    var all: [Data] { lines.withLock { $0 } }
}
