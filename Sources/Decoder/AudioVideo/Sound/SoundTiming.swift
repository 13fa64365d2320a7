/// The decision whether sound follows its timestamps or goes on without a gap.
///
/// Timestamps jitter: containers round them to milliseconds or more, and recorders stamp what they get in bursts. Samples
/// that are dropped or filled in for that would be heard as clicks, while a small shift is not.
struct SoundTiming {
    /// The shift, in seconds, that never matters. Viewers notice sound that is 45 ms early (ITU-R BT.1359-1).
    static let tolerance = 0.04
    /// The largest shift, in seconds, that may still be jitter.
    static let largestJitter = 0.1
    /// The time, in seconds, after which a shift is not jitter any more.
    static let patience = 0.25

    /// The time at which the next sample is due if the sound goes on without a gap.
    private var next: Double?
    /// The time since which the sound is off by more than the tolerance, and always to the same side.
    private var since: Double?
    private var isLate = false

    /// Takes the next piece of sound: its timestamp, if there is one, and its duration, in seconds.
    ///
    /// - Returns: Whether the sound is to be moved to its timestamp.
    mutating func moves(at time: Double?, lasting duration: Double) -> Bool {
        guard let time else {
            next = next.map { $0 + duration }
            return false
        }
        guard let due = next, !isTooFar(time - due, at: due) else {
            next = time + duration
            since = nil
            return true
        }
        next = due + duration
        return false
    }

    private mutating func isTooFar(_ shift: Double, at due: Double) -> Bool {
        guard abs(shift) > Self.tolerance else {
            since = nil
            return false
        }
        if since == nil || isLate != (shift > 0) {
            since = due
            isLate = shift > 0
        }
        return abs(shift) > Self.largestJitter || due - (since ?? due) >= Self.patience
    }
}
