import DecoderWire
import Media

/// The search for a video's poster frame, and its conversion into a still picture.
struct PosterConversion {
    /// The most frames to look at. After them, the best one is used.
    private static let frameLimit = 100
    /// The most frames to look at once one is neither black nor white: a second.
    private static let visibleFrameLimit = 25
    /// The frames without a better one after which the search ends: a fade gets better with each frame.
    private static let patience = 6
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
        let decoder = try StreamDecoder.open(stream, limits: request.limits, isSlow: false)
        var candidate = Candidate()
        var index = 0
        while candidate.frames < Self.frameLimit, let packet = try reader.packet(at: index) {
            index += 1
            guard packet.stream == stream.index else { continue }
            try decoder.send(packet)
            if try take(from: decoder, &candidate) { break }
        }
        if !candidate.isChosen {
            try decoder.send(nil)
            _ = try take(from: decoder, &candidate)
        }
        guard let frame = candidate.frame.take() else { throw DecodeError(.corrupt, "no frame could be decoded") }
        return try frame.still(of: stream, rules: request.image)
    }

    private struct Candidate: ~Copyable {
        var frame: Frame?
        var score = -1.0
        /// The frames looked at, those since the first visible one, and those since the best one.
        var (frames, visibleFrames, framesSinceBest) = (0, 0, 0)
        var isEnough = false
        var isChosen = false
    }

    /// Looks at the decoder's next frames. Returns `true` if the frame was found.
    private func take(from decoder: borrowing StreamDecoder, _ candidate: inout Candidate) throws(DecodeError) -> Bool {
        while let frame = try decoder.receive() {
            let time = frame.time.map(stream.microseconds) ?? reader.range.start
            if let asked {
                // Up to the requested time, each frame replaces the one before.
                guard candidate.frame == nil || time <= asked else { return choose(&candidate) }
                candidate.frame = consume frame
                continue
            }
            guard time >= reader.range.start || candidate.frame == nil else { continue }
            candidate.frames += 1
            let detail = try frame.detail()
            candidate.framesSinceBest += 1
            if candidate.visibleFrames > 0 || detail.isVisible { candidate.visibleFrames += 1 }
            if detail.score > candidate.score * Self.improvement {
                candidate.score = detail.score
                candidate.framesSinceBest = 0
                candidate.isEnough = detail.isEnough && time >= reader.range.start
                candidate.frame = consume frame
            }
            let isBest = candidate.isEnough && candidate.framesSinceBest >= Self.patience
            if isBest || candidate.visibleFrames > Self.visibleFrameLimit || mustStop() { return choose(&candidate) }
        }
        return false
    }

    private func choose(_ candidate: inout Candidate) -> Bool {
        candidate.isChosen = true
        return true
    }
}
