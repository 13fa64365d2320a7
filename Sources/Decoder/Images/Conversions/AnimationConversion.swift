import Base
import CVips
import CVipsShim
import DecoderWire
import Media

/// The conversion of an animation, rung by rung: its first frame, then as much of its movement as the profile allows.
struct AnimationConversion {
    /// The most pixels of a frame. Larger frames are of no use in a notification, and a few bytes of WebP can hold
    /// many.
    private static let framePixels = 4_000_000
    /// The most pixels of all frames of an animation that is copied: each is decoded once, which takes about a second.
    private static let copiedPixels = 200_000_000

    let request: ConversionRequest
    let rules: AnimationRules
    let source: any SourceBytes
    let header: PictureHeader
    let emitter: RungEmitter

    private var area: PixelArea { header.area(within: request.clippingRectangle) }

    func run() throws(DecodeError) {
        let still = StillConversion(request: request, source: source, header: header, emitter: emitter)
        // Copying a long one takes a while, because all of it is decoded once.
        let isLong = header.framesWithin(request.limits) < header.frames
        func emitFirstFrame() throws(DecodeError) {
            if emitter.wants(.firstFrame) { try still.make(.firstFrame, shrink: still.shape.shrink) }
        }
        if isLong { try emitFirstFrame() }
        if try remux(still) { return still.addThumbnail() }
        if !isLong { try emitFirstFrame() }
        // An animation of a thousand frames is of no use in a notification, and reading it costs as much as decoding
        // it.
        guard header.frames <= request.limits.frames, header.storedSize.pixels <= Self.framePixels,
            emitter.wants(.shortened) || emitter.wants(.animation), let roll = try decodeFrames()
        else { return }
        let isComplete = roll.count == header.frames
        let encoder = AnimationEncoder(rules: rules, roll: roll, isComplete: isComplete)
        guard let encoded = try encoder.encode(unless: { source.timeWillExpire }), emitter.wants(encoded.rung)
        else { return }
        try emitter.emit(encoded.rung, encoded.picture)
    }

    /// Emits the source's own coded data, if it may be delivered unchanged. Returns `true` if it did.
    private func remux(_ still: StillConversion) throws(DecodeError) -> Bool {
        let isWhole = area.size == header.storedSize
        let isLegal = header.format == .gif && isWhole && header.size.longEdge <= rules.longEdge
        let isShort = header.frames <= request.limits.frames
        guard emitter.wants(.remuxed), isLegal, isShort,
            SafeSize.product(header.storedSize.pixels, header.frames) ?? .max <= Self.copiedPixels
        else { return false }
        return try Remuxing(header: header, byteLimit: min(rules.byteBudget, rules.byteLimit))
            .emit(source, to: emitter, inline: still.inlinePicture)
    }

    /// Decodes the frames in their final size: as many as may be in memory, evenly from all. Returns fewer frames when time
    /// runs out, and `nil` if there is no movement.
    private func decodeFrames() throws(DecodeError) -> AnimationRoll? {
        // The last frame of a source that was cut short may be incomplete.
        let count = header.frames - (source.isCut ? 1 : 0)
        let most = header.framesWithin(request.limits)
        guard count > 1, most > 1 else { return nil }
        let step = (count + most - 1) / most
        func time(from index: Int) -> Int { header.time(of: index..<min(index + step, count)) }
        let pages = try PictureLoader(format: header.format, frames: count).open(PictureSource(source, header.format))
        let first = try frame(0, of: pages)
        var roll = try AnimationRoll(like: first, capacity: (count + step - 1) / step, loop: header.loop)
        try roll.append(first, delay: time(from: 0))
        for index in stride(from: step, to: count, by: step) where !source.timeWillExpire {
            try roll.append(frame(index, of: pages), delay: time(from: index))
        }
        return roll
    }

    private func frame(_ index: Int, of pages: borrowing Picture) throws(DecodeError) -> Picture {
        var area = area
        area.y += index * header.storedSize.height
        let frame = try pages.cropped(to: area).in8Bits()
        return try frame.inMemory(scaledTo: area.size.fitting(longEdge: rules.longEdge)).inStandardColors()
            .upright(from: header.orientation).inMemory()
    }
}

// MARK: - Frames

/// The frames of an animation in memory, of one size and below each other.
struct AnimationRoll: ~Copyable {
    let frameSize: PixelSize
    /// The number of times the animation plays; 0 for endlessly.
    let loop: Int
    /// The time of each frame, in milliseconds.
    private(set) var delays: [Int] = []
    private let picture: Picture

    /// Creates an empty roll with memory for `capacity` frames like `frame`.
    init(like frame: borrowing Picture, capacity: Int, loop: Int) throws(DecodeError) {
        picture = try unsafe Picture.make("roll") { made in
            unsafe cvips_roll_new(frame.image, Int32(clamping: capacity), &made)
        }
        frameSize = frame.size
        self.loop = loop
    }

    var count: Int { delays.count }
    var duration: Int { delays.reduce(0, +) }
    var meanDelay: Int { duration / max(1, count) }

    mutating func append(_ frame: borrowing Picture, delay: Int) throws(DecodeError) {
        guard unsafe cvips_roll_set(picture.image, Int32(clamping: count), frame.image) == 0 else {
            throw VipsError("roll").failure
        }
        delays.append(delay)
    }

    func frame(at index: Int) throws(DecodeError) -> Picture {
        let top = index * frameSize.height
        return try picture.cropped(to: PixelArea(x: 0, y: top, width: frameSize.width, height: frameSize.height))
    }

    /// - Parameters:
    ///   - times: The times of the frames to write, from the first on, in hundredths of a second.
    ///   - colors: The most colors of a frame, up to 256, one of which is transparent.
    /// - Returns: A GIF.
    /// - Throws: The error of libvips.
    func gif(times: [Int], colors: Int) throws(DecodeError) -> EncodedBytes {
        let times = times.map { Int32(clamping: $0) }
        let (height, count) = (Int32(clamping: frameSize.height), Int32(clamping: times.count))
        let (loop, colors) = (Int32(clamping: loop), Int32(clamping: colors))
        return try unsafe EncodedBytes.make("animation") { bytes, byteCount in
            unsafe cvips_animation_save(picture.image, height, times, count, loop, colors, &bytes, &byteCount)
        }
    }
}
