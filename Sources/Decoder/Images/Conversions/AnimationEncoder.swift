import Base
import DecoderWire
import Media

/// An encoder that writes an animation as GIF within a profile's byte budget.
struct AnimationEncoder: ~Copyable {
    /// The number of frames from which the size of all of them is estimated.
    private static let sampleFrames = 8
    private static let attempts = 8
    /// The share of the bytes below which no plan differs any more.
    private static let leastShare = 0.001

    let rules: AnimationRules
    let roll: AnimationRoll
    /// A Boolean value that indicates whether the roll has all of the source's frames.
    let isComplete: Bool

    /// Returns the first version within the budget, with its rung; `nil` if a few attempts fail or `mustStop` returns
    /// `true`.
    func encode(unless mustStop: () -> Bool) throws(DecodeError) -> EncodedAnimation? {
        let byteLimit = min(rules.byteBudget, rules.byteLimit)
        var share = 1.0
        if roll.count > 2 * Self.sampleFrames {
            // Estimates first: encoding a long animation that cannot fit would waste the time. Later frames have only
            // what changes.
            let first = try roll.gif(times: [0], colors: AnimationPlan.mostColors).count
            let times = [Int](repeating: 0, count: Self.sampleFrames)
            let sample = try roll.gif(times: times, colors: AnimationPlan.mostColors).count
            let changes = Double(sample - first) / Double(Self.sampleFrames - 1)
            let estimate = Double(first) + changes * Double(roll.count - 1)
            if estimate * 0.8 > Double(byteLimit) { share = Double(byteLimit) / estimate }
        }
        for _ in 0..<Self.attempts where !mustStop() {
            let plan = plan(share)
            let encoded = try encode(plan)
            if encoded.bytes.count <= byteLimit {
                // Frames that nobody could see are not missed.
                let isWhole = isComplete && plan.step == 1
                return EncodedAnimation(rung: isWhole ? .animation : .shortened, picture: encoded)
            }
            share *= 0.9 * Double(byteLimit) / Double(encoded.bytes.count)
            // Frames are cut in steps: a little less may be the same plan.
            while self.plan(share) == plan {
                guard share > Self.leastShare else { return nil }
                share /= 2
            }
        }
        return nil
    }

    private func plan(_ share: Double) -> AnimationPlan {
        let (longEdge, meanDelay) = (roll.frameSize.longEdge, roll.meanDelay)
        return AnimationPlan(share: share, frames: roll.count, longEdge: longEdge, meanDelay: meanDelay)
    }

    private func encode(_ plan: AnimationPlan) throws(DecodeError) -> EncodedPicture {
        let size = roll.frameSize.fitting(longEdge: plan.longEdge)
        let frames = FrameTimes(of: roll.delays, every: plan.step)
        guard frames.kept.count < roll.count || size != roll.frameSize else {
            return try finish(roll, frames.times, plan.colors)
        }
        func frame(at index: Int) throws(DecodeError) -> Picture {
            try roll.frame(at: index).inMemory(scaledTo: size)
        }
        let first = try frame(at: 0)
        var kept = try AnimationRoll(like: first, capacity: frames.kept.count, loop: roll.loop)
        try kept.append(first, delay: frames.times[0] * 10)
        for next in frames.kept.dropFirst() { try kept.append(frame(at: next.frame), delay: next.time * 10) }
        return try finish(kept, frames.times, plan.colors)
    }

    private func finish(
        _ roll: borrowing AnimationRoll,
        _ times: [Int],
        _ colors: Int,
    ) throws(DecodeError) -> EncodedPicture {
        EncodedPicture(
            format: .gif,
            size: roll.frameSize,
            frames: times.count,
            durationMilliseconds: times.reduce(0, +) * 10,
            bytes: try roll.gif(times: times, colors: colors),
        )
    }
}

/// A finished animation, with its rung.
struct EncodedAnimation: ~Copyable {
    let rung: Rung
    let picture: EncodedPicture
}

// MARK: - Cuts

/// The cuts that make an animation fit a byte budget: first colors, then a quarter of the sides, then every second or
/// third frame, then more of the size, then more frames. What is left is spread over all of its time.
struct AnimationPlan: Equatable {
    /// The most colors that a frame of a GIF can have.
    static let mostColors = 256
    /// Fewer colors, with the share of the bytes that remains: measured with a photo that moves.
    private static let fewerColors = [(count: 128, share: 0.85), (count: 64, share: 0.7)]
    /// The share of the pixels below which frames are dropped rather than more of the size.
    private static let leastShare = 0.5625
    /// The longest time of a frame, in milliseconds, before the animation stutters.
    private static let longestDelay = 150
    /// The smallest longer side, in pixels. Below it, frames are dropped instead.
    private static let smallestEdge = 160

    /// The step between kept frames. Each kept frame is shown for the time of all frames in its step.
    var step = 1
    var longEdge: Int
    var colors = mostColors

    /// Creates a plan without cuts.
    init(longEdge: Int) { self.longEdge = longEdge }

    /// Creates the best plan whose animation has about `share` of the whole animation's bytes.
    ///
    /// - Parameters:
    ///   - share: The share of the whole animation's bytes; from 1 on, nothing is cut.
    ///   - frames: The number of frames of the whole animation.
    ///   - longEdge: The longer side of the whole animation, in pixels.
    ///   - meanDelay: The average time of a frame, in milliseconds.
    init(share: Double, frames: Int, longEdge: Int, meanDelay: Int) {
        self.init(longEdge: longEdge)
        guard share < 1 else { return }
        let fewer = Self.fewerColors.first { $0.share <= share } ?? Self.fewerColors[Self.fewerColors.count - 1]
        colors = fewer.count
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
        step = max(step, min(frames / 2, Int(clamping: (Double(step) / shareOfFrames).rounded(.up))))
    }
}
