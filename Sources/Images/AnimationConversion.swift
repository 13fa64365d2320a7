import CVips
import DecoderWire
import Media

/// Makes an animation's rungs: its first frame, then as much of its movement as the profile has room for.
struct AnimationConversion {
    /// Browsers show a frame without a time for so long.
    private static let defaultDelay = 100

    let request: ConversionRequest
    let rules: AnimationRules
    let source: any SourceBytes
    let header: PictureHeader
    let publisher: RungPublisher

    func run() throws(DecodeFailure) {
        if try remux() { return }
        let still = StillConversion(request: request, source: source, header: header, publisher: publisher)
        if publisher.wants(.firstFrame) { try still.make(.firstFrame, shrink: 1) }
        guard publisher.wants(.shortened) || publisher.wants(.animation) else { return }
        let frames = try decodeFrames()
        guard frames.count > 1 else { return }
        let encoder = AnimationEncoder(
            rules: rules,
            frames: frames,
            loop: header.loop,
            isComplete: frames.count == header.frames,
        )
        guard let encoded = try encoder.encode(unless: { source.timeWillExpire }), publisher.wants(encoded.rung)
        else { return }
        try publisher.publish(encoded.rung, encoded.picture)
    }

    /// Keeps the source's own coded data, if it is legal as it is.
    private func remux() throws(DecodeFailure) -> Bool {
        let isLegal = header.format == .gif && header.size.longEdge <= rules.longEdge
        guard publisher.wants(.remuxed), isLegal, header.framesWithin(request.limits) == header.frames else {
            return false
        }
        return try Remuxing(header: header, byteLimit: min(rules.byteBudget, rules.byteLimit))
            .publish(source, to: publisher)
    }

    /// The frames that may be decoded, in their final size; fewer when time runs out.
    private func decodeFrames() throws(DecodeFailure) -> [AnimationFrame] {
        // The last frame of a source that was cut short may not be whole.
        let count = min(header.framesWithin(request.limits), header.frames - (source.isCut ? 1 : 0))
        let roll = try PictureLoader(format: header.format, frames: count).open(PictureSource(source))
        let size = header.storedSize
        var frames: [AnimationFrame] = []
        for index in 0..<count where !source.timeWillExpire {
            let area = PixelArea(x: 0, y: index * size.height, width: size.width, height: size.height)
            let scaled = try roll.cropped(to: area).in8Bits().inMemory(scaledTo: size.fitting(longEdge: rules.longEdge))
            let picture = try scaled.inStandardColours().inMemory()
            let delay = index < header.delays.count ? header.delays[index] : Self.defaultDelay
            frames.append(AnimationFrame(picture, delay: max(0, delay)))
        }
        return frames
    }
}
