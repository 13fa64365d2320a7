import Base
package import Logging
import Payloads

/// A log handler that writes one line for each event. It bounds the length of each text, and puts it on one line.
package struct LineLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: LogFormat
    private let writer: LogWriter

    package init(label: String, format: LogFormat, writer: LogWriter = .standardError) {
        self.label = label
        self.format = format
        self.writer = writer
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        for more in [metadataProvider?.get(), event.metadata] { all.merge(more ?? [:]) { $1 } }
        let values = all.mapValues { "\($0)".onOneLine() }
        writer.write { dropped in
            var values = values
            if dropped > 0 { values["dropped_lines"] = "\(dropped)" }
            return format.line(event, label, values) + [UInt8(ascii: "\n")]
        }
    }
}

// MARK: - Lines

/// The form of a log line.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Words for a person: time, level, label, values, and message.
    case text
    /// A JSON object with the same, for programs.
    case json

    /// Returns the line without its end.
    func line(_ event: LogEvent, _ label: String, _ values: [String: String]) -> [UInt8] {
        switch self {
        case .text:
            let words = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = ["\(LogTime.text) \(event.level) \(label):"] + words + ["\(event.message)".onOneLine()]
            return Array(line.joined(separator: " ").utf8)
        case .json:
            var fields = values
            fields["time"] = LogTime.text
            fields["level"] = event.level.rawValue
            fields["label"] = label
            fields["message"] = "\(event.message)".onOneLine()
            let members = fields.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
            return JSONValue.object(members).compactBytes
        }
    }
}

/// The time of a log line, in UTC: ISO 8601.
enum LogTime {
    static var text: String {
        let now = UnixTime.now
        let milliseconds = String(1000 + now.nanoseconds / 1_000_000).dropFirst()
        return now.text("%Y-%m-%dT%H:%M:%S.\(milliseconds)Z")
    }
}
