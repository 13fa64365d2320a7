import Media
import Timing
import Values

// SECURITY S6: sizes, counts and times from a decoder process are checked against the limits on arrival, before any
// arithmetic. A report beyond them is a lie: our decoder rejects such sources itself.

extension SourceReport {
    /// Returns whether a source within `limits` can have this description.
    func isPossible(within limits: MediaLimits) -> Bool {
        // Each frame takes at least a byte of the source.
        isSizePossible(width, height, within: limits) && (frames ?? 0) <= limits.sourceBytes
            && isTimePossible(durationMilliseconds)
    }
}

extension RungReport {
    /// Returns whether a source within `limits` can have this result.
    func isPossible(within limits: MediaLimits) -> Bool {
        isSizePossible(width, height, within: limits)
            && (frames ?? 0) <= (format.kind == .image ? limits.frames : limits.sourceBytes)
            && isTimePossible(durationMilliseconds)
    }
}

/// Returns whether the size is possible. Sound has none; a picture has both numbers.
private func isSizePossible(_ width: Int?, _ height: Int?, within limits: MediaLimits) -> Bool {
    guard let width, let height else { return width == nil && height == nil }
    guard width > 0, height > 0, width <= limits.side, height <= limits.side else { return false }
    return SafeSize.product(width, height).map { $0 <= limits.framePixels } ?? false
}

private func isTimePossible(_ milliseconds: Int?) -> Bool {
    milliseconds.map { $0 >= 0 && $0 <= MediaLimits.longestDuration.milliseconds } ?? true
}
