import Media
import Values

/// What an animation gives up to fit a byte budget: every second or third frame, then size, then its end.
struct AnimationPlan: Equatable {
    /// Fewer pictures a second than this stutter.
    private static let longestDelay = 150
    /// Smaller than this, the end is given up instead.
    private static let smallestEdge = 160

    /// One frame of so many is kept, and shown for the time of all of them.
    var step = 1
    var longEdge: Int
    var frames: Int

    /// How many frames are left.
    var kept: Int { (frames + step - 1) / step }

    /// Nothing is given up.
    init(frames: Int, longEdge: Int) {
        self.frames = frames
        self.longEdge = longEdge
    }

    /// The best animation with about `share` of the bytes that one of `frames` frames with `longEdge` has.
    ///
    /// - Parameters:
    ///   - share: Of the bytes of the whole animation; from 1 on nothing is given up.
    ///   - frames: How many the whole animation has.
    ///   - longEdge: Of the whole animation.
    ///   - meanDelay: How long a frame is shown, in milliseconds.
    init(share: Double, frames: Int, longEdge: Int, meanDelay: Int) {
        self.init(frames: frames, longEdge: longEdge)
        guard share < 1 else { return }
        step = min(3, max(1, Self.longestDelay / max(1, meanDelay)), max(1, frames / 2))
        // Frames that are further apart have less in common, and their differences more bytes.
        if step > 1, share > 0.55 { step = 2 }
        let shareOfPixels = share * (step == 1 ? 1 : Double(step) * 0.85)
        guard shareOfPixels < 1 else { return }
        let edge = Int(clamping: Double(longEdge) * shareOfPixels.squareRoot())
        self.longEdge = min(longEdge, max(edge, Self.smallestEdge))
        guard edge < self.longEdge else { return }
        let shareOfFrames = Double(edge * edge) / Double(self.longEdge * self.longEdge)
        self.frames = max(2 * step, Int(clamping: Double(frames) * shareOfFrames))
    }
}
