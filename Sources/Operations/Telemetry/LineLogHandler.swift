package import Logging

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
