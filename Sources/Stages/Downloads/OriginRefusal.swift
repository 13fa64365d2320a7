import Media
import Timing

/// Why a request isn't made.
enum OriginRefusal: Error, Equatable {
    /// The origin failed too often lately. It is asked again then; `nil` while one request finds out whether it works.
    case failing(until: Instant?)
    /// The origin asked to be left alone until then, which is too late.
    case askedToWait(until: Instant)
    /// No place came free in time.
    case late
    /// The origin has so much to do that it would take too long; it may be asked again then.
    case crowded(until: Instant)
    /// Whoever asked doesn't want it any more.
    case cancelled

    /// Whether one with more time might be let in.
    var isForWantOfTime: Bool {
        switch self {
        case .askedToWait, .late: true
        case .failing, .crowded, .cancelled: false
        }
    }

    /// How long to wait before asking again.
    func pause(at now: Instant) -> Duration {
        let end: Instant? =
            switch self {
            case .failing(let until): until
            case .askedToWait(let until), .crowded(let until): until
            case .late, .cancelled: nil
            }
        return max(.milliseconds(100), end.map { $0 - now } ?? .seconds(1))
    }

    /// For `host`, in words.
    func failure(of host: String, at now: Instant) -> AttachmentFailure {
        switch self {
        case .failing(let until):
            let pause = until.map { " for another \(Self.seconds($0 - now))" } ?? " while one request tries it"
            return unavailable("\(host) failed again and again, and is left alone\(pause).")
        case .askedToWait(let until):
            return unavailable("\(host) asks to be left alone for another \(Self.seconds(until - now)).")
        case .crowded(let until):
            return unavailable("\(host) has so much to do that it is asked again in \(Self.seconds(until - now)).")
        case .late:
            let message = "So many requests to \(host) are under way that none more could be made in time."
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
