import DecoderWire
import Media
import Values

/// The cuts that make an animation fit a byte budget: first every second or third frame, then the size, then the end.
struct AnimationPlan: Equatable {
    /// The longest time of a frame, in milliseconds, before the animation stutters.
    private static let longestDelay = 150
    /// The smallest longer side, in pixels. Below it, the end is cut instead.
    private static let smallestEdge = 160

    /// The step between kept frames. Each kept frame is shown for the time of all frames in its step.
    var step = 1
    var longEdge: Int
    var frames: Int

    /// The number of frames that are left.
    var kept: Int { (frames + step - 1) / step }

    /// Creates a plan without cuts.
    init(frames: Int, longEdge: Int) {
        self.frames = frames
        self.longEdge = longEdge
    }

    /// Creates the best plan whose animation has about `share` of the whole animation's bytes.
    ///
    /// - Parameters:
    ///   - share: The share of the whole animation's bytes; from 1 on, nothing is cut.
    ///   - frames: The number of frames of the whole animation.
    ///   - longEdge: The longer side of the whole animation, in pixels.
    ///   - meanDelay: The average time of a frame, in milliseconds.
    init(share: Double, frames: Int, longEdge: Int, meanDelay: Int) {
        self.init(frames: frames, longEdge: longEdge)
        guard share < 1 else { return }
        step = min(3, max(1, Self.longestDelay / max(1, meanDelay)), max(1, frames / 2))
        // Frames that are further apart differ more, so that each takes more bytes.
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
