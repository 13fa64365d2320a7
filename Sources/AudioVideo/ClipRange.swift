import Media

/// The part of a source that a clip is made of, in microseconds on the source's own clock.
struct ClipRange {
    let start: Int64
    let end: Int64

    var duration: Int64 { end - start }

    /// `longest` is what the profile allows.
    init(_ clip: ClipSelection, longest: Duration, in demuxer: Demuxer) {
        let asked = clip.start.microseconds
        // A clip that would begin after the end begins at the beginning.
        let isInside = demuxer.duration.map { asked < $0 } ?? true
        start = demuxer.startTime + (isInside ? asked : 0)
        end = start + max(1, min(clip.duration ?? longest, longest).microseconds)
    }
}

extension Duration {
    /// Never negative, and never so large that sums of it overflow.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(0, seconds), 1 << 32) * 1_000_000 + max(0, attoseconds) / 1_000_000_000_000
    }
}
