import Base
import Media

@testable import Decoding

enum MediaTargets {
    /// Checks that only bytes with an output's format have a header, and that its sizes are not negative.
    static func media(_ bytes: [UInt8]) {
        let format = OutputFormat(of: bytes.span)
        guard let header = OutputHeader(bytes.span) else { return }
        precondition(header.format == format && (header.width ?? 0) >= 0 && (header.height ?? 0) >= 0)
    }

    /// Checks that a parsed duration is not negative, can be added to an instant, and can be written in milliseconds.
    static func duration(_ bytes: [UInt8]) {
        guard let duration = DurationText.parse(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(duration >= .zero && duration.milliseconds >= 0)
        let now = SystemTime().now
        precondition(now + duration >= now - duration)
    }
}
