import CLibav
import DecoderWire

extension ClipReader {
    /// The time that is read ahead of a source that is still arriving, and the time over which its bits are counted, in
    /// microseconds.
    private static let look: Int64 = 4_000_000
    private static let window: Int64 = 1_000_000

    /// Reads ahead, and returns the form of a new encoding of `stream`, which has sound.
    func encoding(of stream: MediaStream) throws(DecodeError) -> SoundEncoding {
        SoundEncoding(of: stream, sourceBitRate: try bitRate(of: stream))
    }

    /// Reads ahead, and returns the bits a second of `stream` in the clip; `nil` if its packets don't tell.
    ///
    /// Of a source that is still arriving, the first seconds must do. The one with the most bits counts, because speech
    /// often begins with silence.
    private func bitRate(of stream: MediaStream) throws(DecodeError) -> Int64? {
        let readsAll = hasWholeSource
        var all = BitCount()
        var recent = BitCount()
        var highest: Int64?
        var index = 0
        while let packet = try packet(at: index) {
            index += 1
            guard packet.stream == stream.index, let time = packet.presentationTime ?? packet.decodingTime else {
                continue
            }
            let shown = stream.microseconds(time)
            all.reach(shown)
            recent.reach(shown)
            if !readsAll, recent.duration >= Self.window {
                highest = max(highest ?? 0, recent.bitRate ?? 0)
                recent = BitCount()
                recent.reach(shown)
                if all.duration >= Self.look { break }
            }
            all.add(packet)
            recent.add(packet)
        }
        return highest ?? all.bitRate
    }
}

/// The bits of a stream's packets from one time up to another. The last packet doesn't count: nothing says how long it
/// lasts.
private struct BitCount {
    private var start: Int64?
    private(set) var duration: Int64 = 0
    private var bits: Int64 = 0
    private var last: Int64 = 0

    /// Goes on to the time of the next packet. The times of a source can be any numbers.
    mutating func reach(_ time: Int64) {
        let (passed, isTooLarge) = time.subtractingReportingOverflow(start ?? time)
        if start == nil { start = time }
        if !isTooLarge { duration = max(duration, passed) }
        bits += last
        last = 0
    }

    mutating func add(_ packet: Packet) { last = Int64(packet.byteCount) * 8 }

    /// The bits a second; `nil` if no time has passed.
    var bitRate: Int64? { duration > 0 ? av_rescale(bits, 1_000_000, duration) : nil }
}
