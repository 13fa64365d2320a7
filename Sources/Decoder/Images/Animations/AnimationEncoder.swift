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
            let first = try roll.gif(frames: 1, colours: AnimationPlan.mostColours).count
            let sample = try roll.gif(frames: Self.sampleFrames, colours: AnimationPlan.mostColours).count
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
        guard plan.step > 1 || size != roll.frameSize else { return try finish(roll, plan.frames, plan.colours) }
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
        return try finish(kept, kept.count, plan.colours)
    }

    private func finish(
        _ roll: borrowing AnimationRoll,
        _ frames: Int,
        _ colours: Int,
    ) throws(DecodeError) -> EncodedPicture {
        EncodedPicture(
            format: .gif,
            size: roll.frameSize,
            frames: frames,
            durationMilliseconds: roll.delays.prefix(frames).reduce(0, +),
            bytes: try roll.gif(frames: frames, colours: colours),
        )
    }
}

/// A finished animation, with its rung.
struct EncodedAnimation: ~Copyable {
    let rung: Rung
    let picture: EncodedPicture
}
