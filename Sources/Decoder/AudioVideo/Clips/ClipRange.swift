import Media
import Values

/// The part of a source that a clip is made of, in microseconds on the source's clock.
struct ClipRange {
    let start: Int64
    let end: Int64

    var duration: Int64 { end - start }

    /// Creates the range. `longest` is the profile's limit.
    init(_ clip: ClipSelection, longest: Duration, in demuxer: Demuxer) {
        start = demuxer.startTime.addingClamped(clip.start.microseconds)
        end = start.addingClamped(max(1, min(clip.duration ?? longest, longest).microseconds))
    }

    private init(start: Int64, duration: Int64) {
        self.start = start
        end = start + duration
    }

    /// Returns a range of the same duration that begins at `start`.
    func moved(to start: Int64) -> ClipRange { ClipRange(start: start, duration: duration) }
}

extension Duration {
    /// The duration in microseconds: never negative, and never so large that sums overflow.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(0, seconds), 1 << 32) * 1_000_000 + max(0, attoseconds) / 1_000_000_000_000
    }
}
