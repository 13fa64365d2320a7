import Base
import DecoderWire
import Media

/// An encoder that writes an animation as GIF within a profile's byte budget.
struct AnimationEncoder: ~Copyable {
    /// The number of frames from which the size of all of them is estimated.
    private static let sampleFrames = 8
    private static let attempts = 5

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
            let first = try roll.gif(frames: 1, colors: AnimationPlan.mostColors).count
            let sample = try roll.gif(frames: Self.sampleFrames, colors: AnimationPlan.mostColors).count
            let changes = Double(sample - first) / Double(Self.sampleFrames - 1)
            let estimate = Double(first) + changes * Double(roll.count - 1)
            if estimate * 0.8 > Double(byteLimit) { share = Double(byteLimit) / estimate }
        }
        for _ in 0..<Self.attempts where !mustStop() {
            let plan = AnimationPlan(
                share: share,
                frames: roll.count,
                longEdge: roll.frameSize.longEdge,
                meanDelay: roll.meanDelay,
            )
            let encoded = try encode(plan)
            if encoded.bytes.count <= byteLimit {
                let isWhole = isComplete && plan.step == 1 && plan.frames == roll.count
                return EncodedAnimation(rung: isWhole ? .animation : .shortened, picture: encoded)
            }
            share *= 0.9 * Double(byteLimit) / Double(encoded.bytes.count)
        }
        return nil
    }

    private func encode(_ plan: AnimationPlan) throws(DecodeError) -> EncodedPicture {
        let size = roll.frameSize.fitting(longEdge: plan.longEdge)
        guard plan.step > 1 || size != roll.frameSize else { return try finish(roll, plan.frames, plan.colors) }
        func frame(at index: Int) throws(DecodeError) -> Picture {
            try roll.frame(at: index).inMemory(scaledTo: size)
        }
        func delay(from index: Int) -> Int { roll.delays[index..<min(index + plan.step, plan.frames)].reduce(0, +) }
        let first = try frame(at: 0)
        var kept = try AnimationRoll(like: first, capacity: plan.kept, loop: roll.loop)
        try kept.append(first, delay: delay(from: 0))
        for index in stride(from: plan.step, to: plan.frames, by: plan.step) {
            try kept.append(frame(at: index), delay: delay(from: index))
        }
        return try finish(kept, kept.count, plan.colors)
    }

    private func finish(
        _ roll: borrowing AnimationRoll,
        _ frames: Int,
        _ colors: Int,
    ) throws(DecodeError) -> EncodedPicture {
        EncodedPicture(
            format: .gif,
            size: roll.frameSize,
            frames: frames,
            durationMilliseconds: roll.delays.prefix(frames).reduce(0, +),
            bytes: try roll.gif(frames: frames, colors: colors),
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
/// third frame, then more of the size, then the end.
struct AnimationPlan: Equatable {
    /// The most colors that a frame of a GIF can have.
    static let mostColors = 256
    /// Fewer colors, with the share of the bytes that remains: measured with a photo that moves.
    private static let fewerColors = [(count: 128, share: 0.85), (count: 64, share: 0.7)]
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
    var colors = mostColors

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
        self.frames = max(2 * step, Int(clamping: Double(frames) * shareOfFrames))
    }
}
