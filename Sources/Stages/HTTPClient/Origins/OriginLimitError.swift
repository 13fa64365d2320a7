package import Media
package import Timing

/// The reason why a request is not made.
package enum OriginLimitError: Error, Equatable {
    /// The origin failed too often lately. It is asked again at that time, or `nil` while one request tests whether it
    /// works.
    case failing(until: Instant?)
    /// The origin asked for a pause until that time, which is too late.
    case askedToWait(until: Instant)
    /// No permit became free in time.
    case late
    /// The origin is so busy that the request would take too long. It may be asked again at that time.
    case crowded(until: Instant)
    /// The caller does not want the source any more.
    case cancelled

    /// A Boolean value that indicates whether a request with more time might be made.
    package var lacksTime: Bool {
        switch self {
        case .askedToWait, .late: true
        case .failing, .crowded, .cancelled: false
        }
    }

    /// Returns how long to wait before asking again.
    func pause(at now: Instant) -> Duration {
        let end: Instant? =
            switch self {
            case .failing(let until): until
            case .askedToWait(let until), .crowded(let until): until
            case .late, .cancelled: nil
            }
        return max(.milliseconds(100), end.map { $0 - now } ?? .seconds(1))
    }

    /// Returns the failure for `host`.
    package func failure(of host: String, at now: Instant) -> AttachmentFailure {
        switch self {
        case .failing(let until):
            let pause = until.map { " for another \(Self.seconds($0 - now))" } ?? " while one request tests it"
            return unavailable("\(host) failed repeatedly. Requests to it are paused\(pause).")
        case .askedToWait(let until):
            return unavailable("\(host) asked for a pause, which lasts another \(Self.seconds(until - now)).")
        case .crowded(let until):
            return unavailable("\(host) is busy. It may be asked again in \(Self.seconds(until - now)).")
        case .late:
            let message = "Too many requests to \(host) are under way to make another one in time."
            return AttachmentFailure(.download, .timedOut, message)
        case .cancelled:
            return AttachmentFailure(.download, .cancelled, "The download from \(host) was stopped.")
        }
    }

    private func unavailable(_ message: String) -> AttachmentFailure {
        AttachmentFailure(.download, .originUnavailable, message)
    }

    private static func seconds(_ duration: Duration) -> String { "\(max(1, (duration.milliseconds + 999) / 1000)) s" }
}
