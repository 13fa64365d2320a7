import CVips
import DecoderWire
import Media

/// Makes an animation's rungs: its first frame, then as much of its movement as the profile has room for.
struct AnimationConversion {
    /// Browsers show a frame without a time for so long.
    private static let defaultDelay = 100
    /// Larger frames are no animation for a notification, and a few bytes of WebP hold many of them.
    private static let framePixels = 4_000_000

    let request: ConversionRequest
    let rules: AnimationRules
    let source: any SourceBytes
    let header: PictureHeader
    let publisher: RungPublisher

    private var area: PixelArea { header.area(within: request.clippingRectangle) }

    func run() throws(DecodeFailure) {
        let still = StillConversion(request: request, source: source, header: header, publisher: publisher)
        if try remux() { return still.addPreview() }
        if publisher.wants(.firstFrame) { try still.make(.firstFrame, shrink: still.shape.shrink) }
        // A thousand frames are no animation for a notification, and cost as much to look through as to decode.
        guard header.frames <= request.limits.frames, header.storedSize.pixels <= Self.framePixels,
            publisher.wants(.shortened) || publisher.wants(.animation), let roll = try decodeFrames()
        else { return }
        let isComplete = roll.count == header.frames
        let encoder = AnimationEncoder(rules: rules, roll: roll, isComplete: isComplete)
        guard let encoded = try encoder.encode(unless: { source.timeWillExpire }), publisher.wants(encoded.rung)
        else { return }
        try publisher.publish(encoded.rung, encoded.picture)
    }

    /// Keeps the source's own coded data, if it is legal as it is.
    private func remux() throws(DecodeFailure) -> Bool {
        let isWhole = area.size == header.storedSize
        let isLegal = header.format == .gif && isWhole && header.size.longEdge <= rules.longEdge
        guard publisher.wants(.remuxed), isLegal, header.framesWithin(request.limits) == header.frames else {
            return false
        }
        return try Remuxing(header: header, byteLimit: min(rules.byteBudget, rules.byteLimit))
            .publish(source, to: publisher)
    }

    /// The frames that may be decoded, in their final size; fewer when time runs out, `nil` if there is no movement.
    private func decodeFrames() throws(DecodeFailure) -> AnimationRoll? {
        // The last frame of a source that was cut short may not be whole.
        let count = min(header.framesWithin(request.limits), header.frames - (source.isCut ? 1 : 0))
        guard count > 1 else { return nil }
        let pages = try PictureLoader(format: header.format, frames: count).open(PictureSource(source, header.format))
        let first = try frame(0, of: pages)
        var roll = try AnimationRoll(like: first, capacity: count, loop: header.loop)
        try roll.append(first, delay: delay(0))
        for index in 1..<count where !source.timeWillExpire {
            try roll.append(frame(index, of: pages), delay: delay(index))
        }
        return roll
    }

    private func frame(_ index: Int, of pages: borrowing Picture) throws(DecodeFailure) -> Picture {
        var area = area
        area.y += index * header.storedSize.height
        let frame = try pages.cropped(to: area).in8Bits()
        return try frame.inMemory(scaledTo: area.size.fitting(longEdge: rules.longEdge)).inStandardColours().inMemory()
    }

    private func delay(_ index: Int) -> Int {
        index < header.delays.count ? max(0, header.delays[index]) : Self.defaultDelay
    }
}
