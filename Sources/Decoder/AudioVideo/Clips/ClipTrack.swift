import Base
import CLibav
import DecoderWire
import Media

/// One stream of a clip, from the source's packets to the clip's packets.
protocol ClipTrack: AnyObject {
    /// The index of the stream in the source.
    var source: Int { get }
    func take(_ packet: Packet) throws(DecodeError)
    /// The time until which it is shown, in microseconds from the start of the clip, once it is finished.
    var duration: Int64 { get }
    /// Finishes the track after the last packet. It may leave the clip unfinished if it must stop. The last picture is shown
    /// until `end`, in microseconds from the start of the clip.
    func finish(showingUntil end: Int64, until mustStop: () -> Bool) throws(DecodeError)
}

/// The passage of one clip's packets through its tracks into a file.
struct ClipAssembly {
    let reader: ClipReader
    let muxer: Muxer
    let tracks: [any ClipTrack]

    /// Returns the whole file, or `nil` if it had to stop. Before each packet, asks whether to stop, and whether the
    /// packets so far are enough for a shorter clip.
    func run(
        until mustStop: () -> Bool,
        orShortenedOnce isEnough: () -> Bool = { false },
    ) throws(DecodeError) -> FileInMemory? {
        try muxer.start()
        var index = 0
        while let packet = try reader.packet(at: index), !isEnough() {
            guard !mustStop() else { return nil }
            index += 1
            for track in tracks where track.source == packet.stream { try track.take(packet) }
        }
        for track in tracks {
            let end = reader.streams.first { $0.index == track.source }.map(reader.end)
            try track.finish(showingUntil: end ?? 0, until: mustStop)
            guard !mustStop() else { return nil }
        }
        return try muxer.finish()
    }
}

// MARK: - Copied tracks

/// A track whose coded pictures or uncompressed samples go into the clip unchanged.
///
/// It begins at a key frame, which may come before the start of the clip. The file's edit list hides times before zero.
final class CopiedTrack: ClipTrack {
    private let stream: MediaStream
    private let range: ClipRange
    private let muxer: Muxer
    private let output: Int
    private let start: Int64
    private let end: Int64
    private let filter: UnitFilter?
    private(set) var duration: Int64 = 0
    private var hasBegun = false
    private var firstTime: Int64 = 0
    /// The packets without a decoding time. Matroska does not store decoding times, and libav cannot compute those of
    /// the first few packets.
    private var undated: [Packet] = []
    /// The packets shown after the end. They are written only if a later packet that is shown before the end needs
    /// them.
    private var held: [Packet] = []
    /// The last packet so far. Its duration is known at the end.
    private var last: Packet?

    var source: Int { stream.index }

    init(_ stream: MediaStream, range: ClipRange, muxer: Muxer) throws(DecodeError) {
        self.stream = stream
        self.range = range
        self.muxer = muxer
        start = stream.units(ofMicroseconds: range.start)
        end = stream.units(ofMicroseconds: range.end)
        let filter = stream.codec == AV_CODEC_ID_H264 ? try unsafe UnitFilter(stream.parameters) : nil
        self.filter = filter
        output = try unsafe muxer.addStream { (output) throws(DecodeError) in
            try unsafe check(
                "avcodec_parameters_copy",
                avcodec_parameters_copy(output.pointee.codecpar, filter?.parameters ?? UnsafePointer(stream.parameters))
            )
            unsafe output.pointee.time_base = stream.timeBase
            guard stream.kind == .video else { return unsafe stream.strip(&output.pointee.codecpar.pointee) }
            unsafe stream.copyPixelRatio(to: output)
            try unsafe stream.copyDisplayMatrix(to: output)
        }
    }

    func take(_ packet: Packet) throws(DecodeError) {
        guard let shown = packet.presentationTime else { throw Self.noTime }
        guard try begins(packet, shown) else { return }
        guard let decoded = packet.decodingTime else {
            undated.append(packet)
            return
        }
        try date(before: decoded)
        try take(packet, shownAt: shown)
    }

    func finish(showingUntil end: Int64, until mustStop: () -> Bool) throws(DecodeError) {
        guard undated.isEmpty else { throw Self.noTime }
        duration = end
        guard let last else { return }
        // The last packet has the last picture, or an earlier one that is decoded after it.
        if stream.kind == .video, let decoded = last.decodingTime {
            last.duration = max(last.duration, stream.units(ofMicroseconds: end) - decoded)
        }
        try muxer.write(last, to: output, timeBase: stream.timeBase)
    }

    private static let noTime = DecodeError(.unsupportedFormat, "packets without times cannot be copied")

    /// Gives the packets without decoding times such times: one frame after the other, up to `time`.
    private func date(before time: Int64) throws(DecodeError) {
        guard !undated.isEmpty else { return }
        let frame =
            stream.frameRate > 0 ? stream.units(ofMicroseconds: Int64(clamping: 1_000_000 / stream.frameRate)) : 1
        for (index, packet) in undated.enumerated() {
            let copy = try packet.copy()
            let decoded = time - Int64(undated.count - index) * max(1, frame)
            guard let shown = packet.presentationTime, decoded <= shown else { throw Self.noTime }
            copy.decodingTime = decoded
            try take(copy, shownAt: shown)
        }
        undated = []
    }

    private func take(_ packet: Packet, shownAt shown: Int64) throws(DecodeError) {
        if shown >= end {
            held.append(packet)
            return
        }
        for earlier in held { try write(earlier) }
        held = []
        try write(packet)
    }

    /// Returns `true` if the clip has begun with or before `packet`.
    private func begins(_ packet: Packet, _ shown: Int64) throws(DecodeError) -> Bool {
        guard !hasBegun else {
            // Frames shown before the first key frame need a frame that is not in the clip.
            return stream.kind == .audio || shown >= firstTime
        }
        switch stream.kind {
        case .video:
            guard packet.isKeyFrame else { return false }
            guard packet.startsH264Sequence(of: stream) else {
                throw DecodeError(.unsupportedFormat, "the copy would begin with a picture that needs others")
            }
            hasBegun = true
        case .audio: hasBegun = shown + max(packet.duration, 1) > start
        }
        firstTime = shown
        return hasBegun
    }

    private func write(_ packet: Packet) throws(DecodeError) {
        let copy = try packet.copy()
        if stream.kind == .audio { copy.keepSamples(from: start, to: end, of: stream) }
        copy.presentationTime = copy.presentationTime.map { $0 - start }
        copy.decodingTime = copy.decodingTime.map { $0 - start }
        var ready = copy
        if let filter {
            guard let filtered = try filter.filtered(copy) else { return }
            ready = filtered
        }
        if let last { try muxer.write(last, to: output, timeBase: stream.timeBase) }
        last = ready
    }
}

// MARK: - Copied sound

extension MediaStream {
    /// The size of one uncompressed sample of all channels; `nil` if the container has another one.
    var sampleByteCount: Int? {
        let stored = unsafe parameters.pointee
        let byteCount = unsafe 2 * Int(max(1, stored.ch_layout.nb_channels))
        return unsafe stored.block_align == 0 || Int(stored.block_align) == byteCount ? byteCount : nil
    }

    /// Leaves only those parameters of copied samples that a player needs.
    func strip(_ parameters: inout AVCodecParameters) {
        unsafe av_freep(&parameters.extradata)
        unsafe parameters.extradata_size = 0
        unsafe parameters.block_align = Int32(clamping: sampleByteCount ?? 0)
    }
}

extension Packet {
    /// Cuts uncompressed samples exactly to the clip. The times are in units of `stream`.
    func keepSamples(from start: Int64, to end: Int64, of stream: MediaStream) {
        guard let shown = presentationTime else { return }
        let sampleSize = Int64(stream.sampleByteCount ?? 0)
        let rate = unsafe Int64(stream.parameters.pointee.sample_rate)
        // An exact cut is possible only if a unit of time is one sample.
        guard stream.timeBase.num == 1, Int64(stream.timeBase.den) == rate, sampleSize > 0 else { return }
        let count = Int64(byteCount) / sampleSize
        let first = min(count, max(0, start - shown))
        let last = max(first, min(count, end - shown))
        unsafe pointer.pointee.data += Int(first * sampleSize)
        unsafe pointer.pointee.size = Int32((last - first) * sampleSize)
        presentationTime = shown + first
        decodingTime = shown + first
        duration = last - first
    }
}
