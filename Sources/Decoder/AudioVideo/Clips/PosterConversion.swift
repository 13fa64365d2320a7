import Base
import CLibav
import DecoderWire
import Media

/// The search for a video's poster frame, and its conversion into a still picture.
struct PosterConversion {
    /// The most frames and pixels to look at. After them, the best frame is used: a clip waits for its poster.
    private static let frameLimit = 100
    private static let pixelLimit = 100_000_000
    /// The shortest time between two frames to look at, in microseconds: neighbours differ little.
    private static let shortestStep: Int64 = 30_000
    /// The longest search, in microseconds of the video, once a frame is neither black nor white.
    private static let longestSearch: Int64 = 1_000_000
    /// The time without a better frame after which the search ends, in microseconds: a fade gets better all the time.
    private static let longestWait: Int64 = 240_000
    /// The factor of its score by which a frame must be better to replace another one.
    private static let improvement = 1.05

    let request: ConversionRequest
    let reader: ClipReader
    let stream: MediaStream
    /// The requested time of the frame, in microseconds on the source's clock; `nil` for any frame.
    let asked: Int64?
    /// Returns `true` if time is running out, so that any frame will do.
    let mustStop: () -> Bool

    func still() throws(DecodeError) -> DecodedStill {
        let decoder = try StreamDecoder.open(stream, limits: request.limits, isSlow: false, without: request.disabled)
        var search = Search()
        do throws(DecodeError) {
            try run(&search, decoder)
        } catch {
            // A source that breaks later has a poster nevertheless.
            guard search.frame != nil else { throw error }
        }
        guard let frame = search.frame.take() else { throw DecodeError(.corrupt, "no frame could be decoded") }
        return try frame.still(of: stream, rules: request.image)
    }

    /// The best frame so far, and what decides how long to look for a better one.
    private struct Search: ~Copyable {
        var frame: Frame?
        /// A Boolean value that indicates whether the frame lies within the clip, not before it.
        var isInside = false
        var score = -1.0
        var isEnough = false
        var (frames, pixels) = (0, 0)
        /// The times of the best frame, of the last one that was looked at, and of the first one that is neither black
        /// nor white.
        var (bestTime, lastTime, firstVisibleTime): (Int64, Int64?, Int64?) = (0, nil, nil)
        var scaler: PictureScaler?

        var isExhausted: Bool {
            // Until something can be seen, it is worth more.
            frames >= frameLimit || pixels >= (firstVisibleTime == nil ? 4 : 1) * pixelLimit
        }
    }

    private func run(_ search: inout Search, _ decoder: borrowing StreamDecoder) throws(DecodeError) {
        var index = 0
        while !search.isExhausted, let packet = try reader.packet(at: index) {
            index += 1
            guard packet.stream == stream.index else { continue }
            try decoder.send(packet)
            if try look(at: decoder, &search) { return }
        }
        try decoder.send(nil)
        _ = try look(at: decoder, &search)
    }

    /// Looks at the decoder's next frames. Returns `true` if the search is over.
    private func look(at decoder: borrowing StreamDecoder, _ search: inout Search) throws(DecodeError) -> Bool {
        while let frame = try decoder.receive() {
            reader.firstSize = reader.firstSize ?? frame.size
            let (hasTime, time) = (frame.time != nil, frame.time.map(stream.microseconds) ?? reader.range.start)
            if let asked {
                // Up to the requested time, each frame replaces the one before.
                guard search.frame == nil || time <= asked else { return true }
                search.frame = consume frame
            } else {
                try compare(frame, at: time, hasTime: hasTime, &search)
                if isOver(search, at: time) { return true }
            }
            if mustStop() { return true }
        }
        return false
    }

    /// Keeps the frame if it is better than the best one so far. One before the clip is better than none.
    private func compare(
        _ frame: consuming Frame,
        at time: Int64,
        hasTime: Bool,
        _ search: inout Search,
    ) throws(DecodeError) {
        let isInside = time >= reader.range.start
        guard isInside || search.frame == nil else { return }
        search.frames += 1
        // A frame and its pixels count even if it is not measured.
        search.pixels = SafeSize.sum(search.pixels, frame.size.pixels) ?? .max
        if hasTime, let last = search.lastTime, !Self.hasPassed(Self.shortestStep, from: last, to: time) { return }
        if isInside { search.lastTime = time }
        let scaler = search.scaler ?? .forDetail(of: frame)
        search.scaler = scaler
        let detail = try frame.detail(with: scaler)
        if detail.isVisible, isInside, search.firstVisibleTime == nil { search.firstVisibleTime = time }
        guard isInside && !search.isInside || detail.score > search.score * Self.improvement else { return }
        search.isInside = isInside
        search.score = detail.score
        search.isEnough = detail.isEnough
        search.bestTime = time
        search.frame = consume frame
    }

    private func isOver(_ search: borrowing Search, at time: Int64) -> Bool {
        guard search.isInside, let first = search.firstVisibleTime else { return false }
        return search.isEnough && Self.hasPassed(Self.longestWait, from: search.bestTime, to: time)
            || Self.hasPassed(Self.longestSearch, from: first, to: time)
    }

    /// Compares times of the source, which can be any numbers.
    private static func hasPassed(_ wait: Int64, from start: Int64, to time: Int64) -> Bool {
        let (passed, isTooLarge) = time.subtractingReportingOverflow(start)
        return isTooLarge || passed.magnitude >= wait
    }
}

// MARK: - Detail

/// The measures of a video frame that tell a good poster from one that is black, white, plain, blurred, or half faded.
struct FrameDetail: Equatable {
    /// The longer side in pixels of the gray version that is measured. Blur that is invisible there does not matter.
    static let longEdge = 160
    /// The average brightness outside of which a frame looks black or white. Black is 16, white 235.
    private static let visible = 32.0...215.0
    /// The score from which on a frame has enough to see. A plain color has 10.
    private static let enough = 25.0

    let brightness: Double
    /// The standard deviation of the brightness.
    let contrast: Double
    /// The mean difference between neighbours in a row.
    let sharpness: Double

    /// Measures rows of `width` bytes each.
    init(of bytes: [UInt8], width: Int) {
        var (sum, squares, differences) = (0, 0, 0)
        for index in 0..<bytes.count {
            let value = Int(bytes[index])
            sum += value
            squares += value * value
            if index % width != 0 { differences += abs(value - Int(bytes[index - 1])) }
        }
        let count = Double(max(1, bytes.count))
        brightness = Double(sum) / count
        contrast = max(0, Double(squares) / count - brightness * brightness).squareRoot()
        sharpness = Double(differences) / count
    }

    var isVisible: Bool { Self.visible.contains(brightness) }
    /// A measure of how much the frame shows. A plain but visible frame is better than a black or white one.
    var score: Double { isVisible ? 10 + contrast + 3 * sharpness : (contrast + 3 * sharpness) / 4 }
    var isEnough: Bool { score >= Self.enough }
}

// MARK: - Stills

extension Frame {
    /// Returns the frame as a still picture with square pixels in sRGB, about as large as `rules` ask for.
    func still(of stream: MediaStream, rules: ImageRules) throws(DecodeError) -> DecodedStill {
        // Scales to twice the wanted size. The better filter of the image encoder does the rest.
        let target = size.withSquarePixels(stream.pixelRatio).fitting(longEdge: rules.longEdge * 2)
        let scaled = try PictureScaler(to: target, AV_PIX_FMT_RGB24).scaled(self)
        return DecodedStill(
            pixels: scaled.rows(ofBytes: target.width * 3),
            size: target,
            orientation: stream.orientation.exif,
        )
    }

    /// Returns the measures of the small gray version that `scaler` makes of the frame.
    func detail(with scaler: PictureScaler) throws(DecodeError) -> FrameDetail {
        let scaled = try scaler.scaled(self)
        return FrameDetail(of: scaled.rows(ofBytes: scaled.size.width), width: scaled.size.width)
    }

    /// Returns the first plane without the gaps between its rows.
    private func rows(ofBytes count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * size.height)
        guard let start = unsafe pointer.pointee.data.0 else { return bytes }
        let stride = unsafe Int(pointer.pointee.linesize.0)
        for row in 0..<size.height {
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start + row * stride, count: count))
        }
        return bytes
    }
}

extension PictureScaler {
    /// Returns a scaler to the gray version that `detail(with:)` measures, in the shape of `frame`.
    static func forDetail(of frame: borrowing Frame) -> PictureScaler {
        PictureScaler(to: frame.size.fitting(longEdge: FrameDetail.longEdge), AV_PIX_FMT_GRAY8)
    }
}
