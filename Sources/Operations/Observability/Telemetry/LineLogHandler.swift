import Base
package import Logging
import Payloads

/// A log handler that writes one line for each event.
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
        var values = metadata.mapValues { "\($0)" }
        for (key, value) in metadataProvider?.get() ?? [:] { values[key] = "\(value)" }
        for (key, value) in event.metadata ?? [:] { values[key] = "\(value)" }
        writer.write { [values] dropped in
            var values = values
            if dropped > 0 { values["dropped_lines"] = "\(dropped)" }
            return format.line(event, label, values) + [UInt8(ascii: "\n")]
        }
    }
}

/// A log handler that bounds the length of each text, puts it on one line, and passes the event to another handler.
package struct OneLineLogHandler: LogHandler {
    private var base: any LogHandler

    package init(_ base: any LogHandler) { self.base = base }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(Self.oneLine) }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(Self.oneLine) }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.onOneLine())"
        event.metadata = event.metadata?.mapValues(Self.oneLine)
        base.log(event: event)
    }

    private static func oneLine(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        .string("\(value)".onOneLine())
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
            let line = ["\(LogTime.text) \(event.level) \(label):"] + words + ["\(event.message)"]
            return Array(line.joined(separator: " ").utf8)
        case .json:
            var fields = values
            fields["time"] = LogTime.text
            fields["level"] = event.level.rawValue
            fields["label"] = label
            fields["message"] = "\(event.message)"
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
