import CLibav
import DecoderWire
import Media
import Timing

/// A reader of one clip's packets. It reads them once, in the order of the file, and keeps them for every rung.
final class ClipReader {
    private(set) var range: ClipRange
    let streams: [MediaStream]

    private let demuxer: Demuxer
    private var packets: [Packet] = []
    private var byteCount = 0
    private var isAtEnd = false
    /// The streams that have delivered a packet beyond the end of the clip.
    private var finished: Set<Int> = []

    /// The most bytes of a clip: ten seconds at the highest bit rate that cameras write.
    private static let byteLimit = 256_000_000
    /// The most packets of a clip: a hundred times those of half a minute of sound.
    private static let packetLimit = 200_000
    /// The time by which one stream may run ahead of the others, in microseconds. Containers do not interleave exactly.
    static let slack: Int64 = 2_000_000
    /// The sound before the start that is kept, in microseconds: decoders need some packets before their output is
    /// right.
    private static let preroll: Int64 = 150_000
    /// The times before the start at which a key frame is searched, in microseconds. A container with an index finds
    /// the nearest by decoding time, which is a little before the time of display. In others, the search may land on
    /// any frame, and the next key frame may be far away.
    static let seekMargins: [Int64] = [250_000, 3_000_000, 12_000_000]

    init(_ demuxer: Demuxer, range: ClipRange, streams: [MediaStream]) throws(DecodeError) {
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
        // A clip that would begin after the end of the source begins at its beginning.
        guard beginning == .behindEnd else { return }
        self.range = range.moved(to: demuxer.startTime)
        _ = try begin(lookingFrom: demuxer.startTime, lead)
    }

    /// Returns the packet at `index`; `nil` after the clip's last packet or at the end of the source.
    func packet(at index: Int) throws(DecodeError) -> Packet? {
        while index >= packets.count {
            guard let packet = try readNext() else { return nil }
            keep(packet)
        }
        return packets[index]
    }

    /// A Boolean value that indicates whether every byte of the source is there already.
    var hasWholeSource: Bool { demuxer.hasWholeSource }

    /// Reads ahead, for at most `limit`. Returns `true` if the whole clip is there.
    func reachesEnd(within limit: Duration) -> Bool {
        let end = SystemTime().now + limit
        while SystemTime().now < end {
            // The next caller of `packet(at:)` gets the error.
            guard let packet = try? readNext() else { return isAtEnd }
            keep(packet)
        }
        return false
    }

    /// Returns the size of the coded data of `stream` that is shown in the clip, of the packets so far. The key frame that
    /// the clip begins with counts, even if it comes before the start: every encoding of the clip needs one.
    func byteCount(of stream: MediaStream) -> Int {
        let first = packets.first { $0.stream == stream.index }
        return packets.reduce(0) { sum, packet in
            if packet === first { return sum + packet.byteCount }
            guard packet.stream == stream.index, let time = packet.presentationTime ?? packet.decodingTime else {
                return sum
            }
            let shown = stream.microseconds(time)
            return shown >= range.start && shown < range.end ? sum + packet.byteCount : sum
        }
    }

    func stream(of packet: Packet) -> MediaStream? { streams.first { $0.index == packet.stream } }

    private enum Beginning {
        case found
        /// All key frames so far come after the start.
        case withoutKeyFrame
        /// The source ends before the start.
        case behindEnd
    }

    /// Seeks to `time`, reads up to the start, and drops packets that no decoder needs: those before the last key frame
    /// at or before the start.
    private func begin(lookingFrom time: Int64, _ lead: MediaStream) throws(DecodeError) -> Beginning {
        packets = []
        byteCount = 0
        isAtEnd = false
        finished = []
        // If the container cannot seek, reading starts at the current position.
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

    private func readNext() throws(DecodeError) -> Packet? {
        guard !isAtEnd else { return nil }
        guard byteCount <= Self.byteLimit, packets.count < Self.packetLimit else {
            throw DecodeError(.resourceLimit, "the clip has \(byteCount) bytes in \(packets.count) packets")
        }
        while let packet = try demuxer.nextPacket() {
            guard let stream = stream(of: packet) else { continue }
            record(packet, of: stream)
            if finished.count < streams.count || !finished.contains(stream.index) { return packet }
            break
        }
        isAtEnd = true
        return nil
    }

    /// Records whether a stream has passed the end of the clip, or is so far ahead that the others must have ended.
    private func record(_ packet: Packet, of stream: MediaStream) {
        guard let time = packet.decodingTime ?? packet.presentationTime else { return }
        let beyond = stream.microseconds(time) - range.end
        if beyond >= 0 { finished.insert(stream.index) }
        if beyond >= Self.slack { finished = Set(streams.map(\.index)) }
    }
}
