import DecoderWire
import Media

/// Encodes an animation as GIF within a profile's byte budget.
struct AnimationEncoder {
    /// Half of libvips' own choice: twice as fast, and no larger.
    private static let effort = 3
    /// How many frames tell what all of them would come to.
    private static let sampleFrames = 8
    private static let attempts = 4

    let rules: AnimationRules
    let frames: [AnimationFrame]
    /// How often it is shown; 0 is for ever.
    let loop: Int
    /// Whether `frames` are all of the source's.
    let isComplete: Bool

    /// The first version that keeps the budget, and the rung that it is; `nil` if none of a few does, or `mustStop`.
    func encode(unless mustStop: () -> Bool) throws(DecodeFailure) -> EncodedAnimation? {
        let byteLimit = min(rules.byteBudget, rules.byteLimit)
        let whole = AnimationPlan(frames: frames.count, longEdge: longEdge)
        // A long animation that has no chance is not encoded to find that out.
        var share = try frames.count > 2 * Self.sampleFrames ? Double(byteLimit) / estimatedBytes() : 1
        if share > 0.8 { share = 1 }
        for _ in 0..<Self.attempts where !mustStop() {
            let plan = AnimationPlan(share: share, frames: frames.count, longEdge: longEdge, meanDelay: meanDelay)
            let encoded = try encode(plan)
            if encoded.bytes.count <= byteLimit {
                return EncodedAnimation(rung: plan == whole && isComplete ? .animation : .shortened, picture: encoded)
            }
            share = min(share, 1) * 0.9 * Double(byteLimit) / Double(encoded.bytes.count)
        }
        return nil
    }

    private var longEdge: Int { frames.first?.picture.size.longEdge ?? 0 }
    private var meanDelay: Int { frames.reduce(0) { $0 + $1.delay } / max(1, frames.count) }

    private func estimatedBytes() throws(DecodeFailure) -> Double {
        let sample = Array(frames.prefix(Self.sampleFrames))
        let bytes = try Picture.joined(sample, loop: loop).gif(effort: Self.effort)
        return Double(bytes.count) * Double(frames.count) / Double(sample.count)
    }

    private func encode(_ plan: AnimationPlan) throws(DecodeFailure) -> EncodedPicture {
        var kept: [AnimationFrame] = []
        for start in stride(from: 0, to: min(plan.frames, frames.count), by: plan.step) {
            let skipped = frames[start..<min(start + plan.step, frames.count)]
            let scaled = try frames[start].scaled(toFit: plan.longEdge)
            kept.append(AnimationFrame(scaled, delay: skipped.reduce(0) { $0 + $1.delay }))
        }
        let bytes = try Picture.joined(kept, loop: loop).gif(effort: Self.effort)
        return EncodedPicture(
            format: .gif,
            size: kept.first?.picture.size ?? PixelSize(width: 1, height: 1),
            frames: kept.count,
            durationMilliseconds: kept.reduce(0) { $0 + $1.delay },
            bytes: bytes,
        )
    }
}

/// A finished animation, and how much of its source it is.
struct EncodedAnimation: ~Copyable {
    let rung: Rung
    let picture: EncodedPicture
}
