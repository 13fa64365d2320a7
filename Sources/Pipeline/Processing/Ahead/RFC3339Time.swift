import Foundation
package import Timing

/// A time as text (RFC 3339), such as `2026-12-01T18:00:00Z`, with whole seconds.
package struct RFC3339Time: Sendable, CustomStringConvertible {
    package let time: UnixTime

    /// The last second of the year 9999, after which the form has no years.
    private static let last = 253_402_300_799

    package init(_ time: UnixTime) { self.time = time }

    /// Reads a time. Returns `nil` for a text of another form, and for a time before 1970.
    package init?(_ text: String) {
        let form =
            /([0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9])/
        guard text.utf8.count <= 40, let parts = text.wholeMatch(of: form)?.output,
            let date = try? Date("\(parts.1)\(parts.2)", strategy: .iso8601),
            let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)), (0...Self.last).contains(seconds)
        else { return nil }
        time = UnixTime(seconds: seconds)
    }

    package var description: String {
        Date(timeIntervalSince1970: Double(min(max(0, time.seconds), Self.last))).formatted(.iso8601)
    }
}
