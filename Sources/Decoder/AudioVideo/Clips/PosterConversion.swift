import DecoderWire
import Media

/// The search for a video's poster frame, and its conversion into a still picture.
struct PosterConversion {
    /// The least average brightness of a poster. Black is 16 of 255.
    private static let leastBrightness = 32
    /// The most dark frames to look at. After them, the brightest one is used.
    private static let frameLimit = 100

    let request: ConversionRequest
    let reader: ClipReader
    let stream: MediaStream
    /// The requested time of the frame, in microseconds on the source's clock; `nil` for any frame.
    let asked: Int64?

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
        var brightness = -1
        var frames = 0
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
            let brightness = try frame.brightness()
            guard brightness > candidate.brightness else { continue }
            candidate.brightness = brightness
            candidate.frame = consume frame
            if brightness >= Self.leastBrightness, time >= reader.range.start { return choose(&candidate) }
        }
        return false
    }

    private func choose(_ candidate: inout Candidate) -> Bool {
        candidate.isChosen = true
        return true
    }
}
