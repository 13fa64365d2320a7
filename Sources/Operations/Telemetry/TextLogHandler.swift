import Foundation
package import Logging

/// A log handler that writes one line of text for a person: time, level, label, metadata, and message.
package struct TextLogHandler: LogHandler {
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
        let own = metadata.merging(metadataProvider?.get() ?? [:]) { _, new in new }
        let values = own.merging(event.metadata ?? [:]) { _, new in new }
        writer.write { dropped in
            var words = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            if dropped > 0 { words.append("dropped_lines=\(dropped)") }
            let head = "\(LogTime.text) \(event.level) \(label):"
            return Array("\(([head] + words + ["\(event.message)"]).joined(separator: " "))\n".utf8)
        }
    }
}
