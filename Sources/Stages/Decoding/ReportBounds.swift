import Media
import Timing
import Values

// SECURITY S6: what a decoder process says of sizes, counts and times is held against the limits where it comes in, before
// anything is computed with it. A report beyond them is a lie: our decoder refuses such sources itself.

extension SourceReport {
    /// Whether a source within `limits` can be like this.
    func isPossible(within limits: MediaLimits) -> Bool {
        // Each frame takes at least a byte of the source.
        isSizePossible(width, height, within: limits) && (frames ?? 0) <= limits.sourceBytes
            && isTimePossible(durationMilliseconds)
    }
}

extension RungReport {
    /// Whether a result of a source within `limits` can be like this.
    func isPossible(within limits: MediaLimits) -> Bool {
        isSizePossible(width, height, within: limits)
            && (frames ?? 0) <= (format.kind == .image ? limits.frames : limits.sourceBytes)
            && isTimePossible(durationMilliseconds)
    }
}

/// Sound has no size. Of a size, both numbers are there.
private func isSizePossible(_ width: Int?, _ height: Int?, within limits: MediaLimits) -> Bool {
    guard let width, let height else { return width == nil && height == nil }
    guard width > 0, height > 0, width <= limits.side, height <= limits.side else { return false }
    return SafeSize.product(width, height).map { $0 <= limits.framePixels } ?? false
}

private func isTimePossible(_ milliseconds: Int?) -> Bool {
    milliseconds.map { $0 >= 0 && $0 <= MediaLimits.longestDuration.milliseconds } ?? true
}
