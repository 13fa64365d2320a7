import Foundation
package import Logging

/// A log handler that writes one JSON object per line to standard error: time, level, label, message, and metadata.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let writer: LogWriter

    package init(label: String, writer: LogWriter = .standardError) {
        self.label = label
        self.writer = writer
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata.mapValues { "\($0)" }
        for (key, value) in metadataProvider?.get() ?? [:] { fields[key] = "\(value)" }
        for (key, value) in event.metadata ?? [:] { fields[key] = "\(value)" }
        fields["time"] = LogTime.text
        fields["level"] = event.level.rawValue
        fields["label"] = label
        fields["message"] = "\(event.message)"
        writer.write { [fields] dropped in
            var fields = fields
            if dropped > 0 { fields["dropped_lines"] = "\(dropped)" }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return [UInt8]((try? encoder.encode(fields)) ?? Data()) + Array("\n".utf8)
        }
    }
}
