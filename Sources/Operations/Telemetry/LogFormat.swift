import Foundation
import Logging

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
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return [UInt8]((try? encoder.encode(fields)) ?? Data())
        }
    }
}
