import Media
import Timing

@testable import Decoding

enum MediaTargets {
    /// Only what the sniffer takes for a picture has a header, with sizes that are none below zero.
    static func media(_ bytes: [UInt8]) {
        let format = MediaSniffer.format(of: bytes.span)
        guard let header = OutputHeader(bytes.span) else { return }
        precondition(header.format == format && header.width >= 0 && header.height >= 0)
    }

    /// A duration that is understood is none below zero, and can be added to an instant and told in milliseconds.
    static func duration(_ bytes: [UInt8]) {
        guard let duration = DurationText.parse(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(duration >= .zero && duration.milliseconds >= 0)
        let now = SystemTime().now
        precondition(now + duration >= now - duration)
    }
}
