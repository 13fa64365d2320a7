import Base
import CLibav
import DecoderWire
import Media

/// A reader of one clip's packets. It reads them once, in the order of the file, and keeps them for every rung.
final class ClipReader {
    private(set) var range: ClipRange
    let streams: [MediaStream]

    /// The size of the clip's first picture, once one was decoded. Containers state that of another one, or of the screen.
    var firstSize: PixelSize?

    private let demuxer: Demuxer
    private var packets: [Packet] = []
    private var byteCount = 0
    private var isAtEnd = false
    /// The streams that have delivered a packet beyond the end of the clip, or need not deliver one because another stream
    /// is far ahead of them.
    private var finished: Set<Int> = []
    /// A Boolean value that indicates whether the source ended before the clip.
    private var isAtSourceEnd = false
    /// The packets of each stream, measured.
    private var measures: [Int: StreamMeasure] = [:]

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
        isAtSourceEnd = false
        finished = []
        measures = [:]
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
            isAtEnd = true
            return nil
        }
        (isAtEnd, isAtSourceEnd) = (true, true)
        return nil
    }

    /// Records whether a stream has passed the end of the clip, or is so far ahead that the others must have ended.
    private func record(_ packet: Packet, of stream: MediaStream) {
        // Nothing before zero is shown of a movie, which has an edit list.
        let start = range.start > demuxer.startTime || demuxer.hasDurations ? range.start : nil
        measures[stream.index, default: StreamMeasure()].take(packet, of: stream, from: start, to: range.end)
        guard let time = packet.decodingTime ?? packet.presentationTime else { return }
        let beyond = stream.microseconds(time) - range.end
        if beyond >= 0 { finished.insert(stream.index) }
        if beyond >= Self.slack { finished = Set(streams.map(\.index)) }
    }
}

// MARK: - Durations

extension ClipReader {
    /// The time by which a source's last packet may come before the last one of its index, in microseconds.
    private static let indexSlack: Int64 = 500_000

    /// The account of the packets so far.
    var account: ClipAccount {
        let video = streams.first { $0.kind == .video }
        let sound = streams.first { $0.kind == .audio }
        // Packets of a codec that is not decoded are not even read.
        let unheard = sound == nil && demuxer.hasUndecodedSound ? ClipAccount.Stream(packets: 1) : nil
        return ClipAccount(
            video: video.flatMap { measures[$0.index]?.account(in: range) },
            sound: sound.flatMap { measures[$0.index]?.account(in: range) } ?? unheard,
            declaredMilliseconds: demuxer.declaredDuration.map { Int($0 / 1000) },
            endsEarly: isAtSourceEnd && video.map(endsEarly) ?? false,
        )
    }

    /// Returns the time until which the last picture of `stream` is shown, in microseconds from the start of the clip. Call it
    /// after the last packet.
    func end(of stream: MediaStream) -> Int64 {
        guard isAtSourceEnd, !finished.contains(stream.index) else { return range.duration }
        var end = measures[stream.index]?.end ?? range.start
        // Some containers don't say how long the last picture is shown, but how long they last.
        if streams.count == 1, !demuxer.hasUndecodedSound, !demuxer.hasDurations, !demuxer.isCut {
            end = max(end, demuxer.declaredEnd ?? end)
        }
        return max(0, min(range.end, end) - range.start)
    }

    /// Returns `true` if the index lists packets of the clip that did not come, or the source is cut before its end.
    private func endsEarly(_ stream: MediaStream) -> Bool {
        let indexed = stream.indexEntry(stream.indexEntryCount - 1).map { stream.microseconds($0.timestamp) }
        // Without a declared end, a source that is cut could have lasted for any time.
        guard let last = [indexed, demuxer.isCut ? demuxer.declaredEnd ?? .max : nil].compactMap(\.self).max() else {
            return false
        }
        let read = measures[stream.index]?.last ?? range.start
        return min(last, range.end) - Self.indexSlack > read
    }
}

/// The measured packets of one stream. All times are in microseconds.
private struct StreamMeasure {
    private var packets = 0
    /// The latest time at which a picture or sound ends.
    private(set) var end: Int64?
    /// The latest time of a packet.
    private(set) var last: Int64?
    private var first: Int64?
    private var sum: Int64 = 0
    private var steps: Int64 = 0
    private var before: Int64?
    /// The time of the next packet, if it has none itself: it follows the one before.
    private var due: Int64?

    /// Takes a packet. Those that are decoded before `start` don't count; `nil` counts all.
    mutating func take(_ packet: Packet, of stream: MediaStream, from start: Int64?, to limit: Int64) {
        let time = packet.decodingTime ?? packet.presentationTime
        guard let decoded = time.map(stream.microseconds) ?? due else { return }
        let shown = packet.presentationTime.map(stream.microseconds) ?? decoded
        let duration = max(0, stream.microseconds(packet.duration))
        due = decoded.addingClamped(duration)
        last = max(last ?? decoded, decoded)
        guard !packet.isHidden, shown >= start ?? shown else { return }
        end = max(end ?? shown, shown.addingClamped(duration))
        if shown < limit { packets += 1 }
        first = first ?? shown
        sum = sum.addingClamped(duration)
        // Matroska gives the first pictures no time of decoding. They are not shown in this order.
        guard packet.decodingTime != nil else { return }
        let step = decoded.subtractingReportingOverflow(before ?? decoded)
        if !step.overflow { steps = steps.addingClamped(max(0, step.partialValue)) }
        before = decoded
    }

    /// Returns the account of the stream in the part of the source.
    func account(in range: ClipRange) -> ClipAccount.Stream {
        // Nothing is missing before a stream begins.
        let (late, overflow) = (first ?? range.start).subtractingReportingOverflow(range.start)
        let room = overflow ? 0 : max(0, range.duration - max(0, late))
        return ClipAccount.Stream(
            packets: packets,
            packetMilliseconds: Int(min(sum, room) / 1000),
            stepMilliseconds: Int(min(steps, room) / 1000),
        )
    }
}

// MARK: - Bit rates

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

// MARK: - Ranges

/// The part of a source that a clip is made of, in microseconds on the source's clock.
struct ClipRange {
    let start: Int64
    let end: Int64

    var duration: Int64 { end - start }

    /// Creates the range. `longest` is the profile's limit.
    init(_ clip: ClipSelection, longest: Duration, in demuxer: Demuxer) {
        start = demuxer.startTime.addingClamped(clip.start.microseconds)
        end = start.addingClamped(max(1, min(clip.duration ?? longest, longest).microseconds))
    }

    private init(start: Int64, duration: Int64) {
        self.start = start
        end = start + duration
    }

    /// Returns a range of the same duration that begins at `start`.
    func moved(to start: Int64) -> ClipRange { ClipRange(start: start, duration: duration) }
}

extension Duration {
    /// The duration in microseconds: never negative, and never so large that sums overflow.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(0, seconds), 1 << 32) * 1_000_000 + max(0, attoseconds) / 1_000_000_000_000
    }
}
