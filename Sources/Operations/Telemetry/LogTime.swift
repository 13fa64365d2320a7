import Foundation

/// The time of a log line, in UTC: ISO 8601.
enum LogTime {
    static var text: String {
        Date.now.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
        )
    }
}
