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
        var all = event.metadata ?? [:]
        for more in [metadataProvider?.get() ?? [:], metadata] where !more.isEmpty { all.merge(more) { own, _ in own } }
        writer.write { dropped in
            if dropped > 0 { all["dropped_lines"] = .string(String(dropped)) }
            return format.line(event, label, all) + [UInt8(ascii: "\n")]
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
    func line(_ event: LogEvent, _ label: String, _ metadata: Logger.Metadata) -> [UInt8] {
        let message = event.message.description.onOneLine()
        switch self {
        case .text:
            let words = Self.texts(of: metadata).map { "\($0.key)=\($0.value)" }
            let line = ["\(LogTime.text) \(event.level) \(label):"] + words + [message]
            return Array(line.joined(separator: " ").utf8)
        case .json:
            var fields = metadata
            fields["time"] = .string(LogTime.text)
            fields["level"] = .string(event.level.rawValue)
            fields["label"] = .string(label)
            fields["message"] = .string(message)
            let members = Self.texts(of: fields).map { JSONValue.Member($0.key, .string($0.value)) }
            return JSONValue.object(members).compactBytes
        }
    }

    /// Returns the values as texts, in the order of their keys.
    private static func texts(of metadata: Logger.Metadata) -> [(key: String, value: String)] {
        metadata.map { (key: $0, value: $1.description.onOneLine()) }.sorted { $0.key < $1.key }
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
