import Foundation
import Timing
import Values

/// The file's times, whole milliseconds since 1970, beside those of this process.
///
/// The two are compared once, when the queue is opened: a clock that is set later moves no deadline.
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
