import CLibav
import DecoderWire
import Media
import Timing

/// The packets of one clip, read once in the order of the file and kept, so that each rung can go through them again.
final class ClipReader {
    private(set) var range: ClipRange
    let streams: [MediaStream]

    private let demuxer: Demuxer
    private var packets: [Packet] = []
    private var byteCount = 0
    private var isAtEnd = false
    /// The streams of which a packet beyond the end of the clip has come.
    private var finished: Set<Int> = []

    /// Ten seconds of the highest bit rate that cameras write.
    private static let byteLimit = 256_000_000
    /// A hundred times what half a minute of sound has.
    private static let packetLimit = 200_000
    /// Streams are not interleaved exactly: how far one may run ahead while the others are awaited.
    static let slack: Int64 = 2_000_000
    /// How much sound before the start is kept: decoders need some packets to get going.
    private static let preroll: Int64 = 150_000
    /// How long before the start a key frame is looked for. Containers with an index tell the nearest, by when it is
    /// decoded, which is a little before it is shown; in others any frame may be found, and the next key frame is far.
    static let seekMargins: [Int64] = [250_000, 3_000_000, 12_000_000]

    init(_ demuxer: Demuxer, range: ClipRange, streams: [MediaStream]) throws(DecodeFailure) {
        self.demuxer = demuxer
        self.range = range
        self.streams = streams
        demuxer.keep(streams)
        guard range.start > demuxer.startTime, let lead = streams.first else { return }
        var beginning = Beginning.withoutKeyFrame
        for margin in Self.seekMargins where beginning == .withoutKeyFrame {
            beginning = try begin(lookingFrom: range.start - margin, lead)
        }
        if beginning == .withoutKeyFrame { beginning = try begin(lookingFrom: demuxer.startTime, lead) }
        // A clip that would begin after the end begins at the beginning.
        guard beginning == .behindEnd else { return }
        self.range = range.moved(to: demuxer.startTime)
        _ = try begin(lookingFrom: demuxer.startTime, lead)
    }

    /// `nil` behind the clip's last packet, or at the end of the source.
    func packet(at index: Int) throws(DecodeFailure) -> Packet? {
        while index >= packets.count {
            guard let packet = try readNext() else { return nil }
            keep(packet)
        }
        return packets[index]
    }

    /// Reads ahead, for so long at most and until the bytes on their way then are there: whether that is the whole clip.
    func reachesEnd(within limit: Duration) -> Bool {
        let end = SystemTime().now + limit
        while SystemTime().now < end {
            // Why no more can be read is told to whoever reads on.
            guard let packet = try? readNext() else { return isAtEnd }
            keep(packet)
        }
        return false
    }

    func stream(of packet: Packet) -> MediaStream? { streams.first { $0.index == packet.stream } }

    private enum Beginning {
        case found
        /// All key frames that were seen come after the start.
        case withoutKeyFrame
        /// The source ends before the start.
        case behindEnd
    }

    /// Jumps to `time`, reads up to the start, and forgets what no decoder needs: packets before the last key frame at
    /// or before it.
    private func begin(lookingFrom time: Int64, _ lead: MediaStream) throws(DecodeFailure) -> Beginning {
        packets = []
        byteCount = 0
        isAtEnd = false
        finished = []
        // What cannot be jumped to is read up to.
        try? demuxer.seek(to: max(demuxer.startTime, time), of: lead)
        var hasKeyFrame = lead.kind == .audio
        while let packet = try readNext() {
            guard let stream = stream(of: packet), let time = packet.presentationTime ?? packet.decodingTime else {
                continue
            }
            let microseconds = stream.microseconds(time)
            if stream.kind == .audio, microseconds < range.start - Self.preroll { continue }
            if stream.kind == .video, packet.isKeyFrame, microseconds <= range.start {
                byteCount -= packets.reduce(0) { $0 + ($1.stream == stream.index ? $1.byteCount : 0) }
                packets.removeAll { $0.stream == stream.index }
                hasKeyFrame = true
            }
            keep(packet)
            if stream.index == lead.index, microseconds >= range.start {
                return hasKeyFrame ? .found : .withoutKeyFrame
            }
        }
        return .behindEnd
    }

    private func keep(_ packet: Packet) {
        packets.append(packet)
        byteCount += packet.byteCount
    }

    private func readNext() throws(DecodeFailure) -> Packet? {
        guard !isAtEnd else { return nil }
        guard byteCount <= Self.byteLimit, packets.count < Self.packetLimit else {
            throw DecodeFailure(.resourceLimit, "the clip has \(byteCount) bytes in \(packets.count) packets")
        }
        while let packet = try demuxer.nextPacket() {
            guard let stream = stream(of: packet) else { continue }
            note(packet, of: stream)
            if finished.count < streams.count || !finished.contains(stream.index) { return packet }
            break
        }
        isAtEnd = true
        return nil
    }

    /// Finds out whether a stream is through with the clip, or so far ahead that the others must have ended.
    private func note(_ packet: Packet, of stream: MediaStream) {
        guard let time = packet.decodingTime ?? packet.presentationTime else { return }
        let beyond = stream.microseconds(time) - range.end
        if beyond >= 0 { finished.insert(stream.index) }
        if beyond >= Self.slack { finished = Set(streams.map(\.index)) }
    }
}
