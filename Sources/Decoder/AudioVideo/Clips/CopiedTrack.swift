import CLibav
import DecoderWire
import Media
import Values

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
    private var hasBegun = false
    private var firstTime: Int64 = 0
    /// The packets without a decoding time. Matroska does not store decoding times, and libav cannot compute those of
    /// the first few packets.
    private var undated: [Packet] = []
    /// The packets shown after the end. They are written only if a later packet that is shown before the end needs
    /// them.
    private var held: [Packet] = []

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

    func finish(until mustStop: () -> Bool) throws(DecodeError) {
        guard undated.isEmpty else { throw Self.noTime }
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
        guard let filter else { return try muxer.write(copy, to: output, timeBase: stream.timeBase) }
        guard let filtered = try filter.filtered(copy) else { return }
        try muxer.write(filtered, to: output, timeBase: stream.timeBase)
    }
}
