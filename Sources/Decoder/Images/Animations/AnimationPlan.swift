import DecoderWire
import Media
import Values

/// The cuts that make an animation fit a byte budget: first colours, then a quarter of the sides, then every second or
/// third frame, then more of the size, then the end.
struct AnimationPlan: Equatable {
    /// The most colours that a frame of a GIF can have.
    static let mostColours = 256
    /// Fewer colours, with the share of the bytes that remains: measured with a photo that moves.
    private static let fewerColours = [(count: 128, share: 0.85), (count: 64, share: 0.7)]
    /// The share of the pixels below which frames are dropped rather than more of the size.
    private static let leastShare = 0.5625
    /// The longest time of a frame, in milliseconds, before the animation stutters.
    private static let longestDelay = 150
    /// The smallest longer side, in pixels. Below it, the end is cut instead.
    private static let smallestEdge = 160

    /// The step between kept frames. Each kept frame is shown for the time of all frames in its step.
    var step = 1
    var longEdge: Int
    var frames: Int
    var colours = mostColours

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
        let fewer = Self.fewerColours.first { $0.share <= share } ?? Self.fewerColours[Self.fewerColours.count - 1]
        colours = fewer.count
        let rest = share / fewer.share
        // Frames that are further apart differ more, so that each takes more bytes.
        func shareOfPixels(_ step: Int) -> Double { rest * (step == 1 ? 1 : Double(step) * 0.85) }
        let mostSteps = min(3, max(1, Self.longestDelay / max(1, meanDelay)), max(1, frames / 2))
        step = (1...mostSteps).first { shareOfPixels($0) >= Self.leastShare } ?? mostSteps
        let shareOfPixels = shareOfPixels(step)
        guard shareOfPixels < 1 else { return }
        let edge = Int(clamping: Double(longEdge) * shareOfPixels.squareRoot())
        self.longEdge = min(longEdge, max(edge, Self.smallestEdge))
        guard edge < self.longEdge else { return }
        let shareOfFrames = Double(edge * edge) / Double(self.longEdge * self.longEdge)
        self.frames = max(2 * step, Int(clamping: Double(frames) * shareOfFrames))
    }
}
