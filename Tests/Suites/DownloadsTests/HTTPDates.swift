import Base
import Foundation
import Media

/// Dates in the form of header fields (RFC 9110, section 5.6.7).
enum HTTPDates {
    static func text(in seconds: Double) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSinceNow: seconds))
    }
}

extension SystemTime {
    /// Blocks the thread for `duration`, as a slow origin does.
    static func block(_ duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
