import Foundation
import Timing
import Values

/// A conversion between the file's times, in whole milliseconds since 1970, and instants of this process.
///
/// The clocks are compared once, when the queue opens. A later change of the system's clock does not move deadlines.
struct UnixClock: Sendable {
    let time: any TimeSource
    /// The Unix time at the origin of `time`.
    private let origin: Int

    init(_ time: any TimeSource) {
        self.time = time
        origin = Int(clamping: Date().timeIntervalSince1970 * 1000) - time.now.sinceOrigin.milliseconds
    }

    var now: Int { origin + time.now.sinceOrigin.milliseconds }

    func instant(_ milliseconds: Int) -> Instant {
        Instant(sinceOrigin: .milliseconds(milliseconds - origin))
    }
}
