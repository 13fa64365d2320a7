import CLibav
import DecoderWire
import Media

/// A check of a finished clip: opens it again, decodes its first frames, and reads it to its end, as a player would.
struct ClipCheck {
    /// The time by which the last audio packet may reach beyond the end, in microseconds.
    private static let tolerance: Int64 = 100_000

    /// The real content of a clip.
    struct Finding {
        var size: PixelSize?
        var frames: Int
        var duration: Int64
    }

    static func finding(
        in file: FileInMemory,
        _ container: Container,
        longest: Int64,
        limits: MediaLimits,
        without disabled: DisabledFormats,
    ) throws(DecodeError) -> Finding {
        let demuxer = try Demuxer(file, container.format.media, usesIndex: true, without: disabled)
        let streams = ClipStreams(demuxer.streams)
        let isVideo = container == .mp4
        guard demuxer.streams.count == streams.all.count, isVideo == (streams.video != nil) else {
            throw DecodeError(.internalError, "the clip has other streams than it should")
        }
        let legal = [AV_CODEC_ID_H264, AV_CODEC_ID_AAC, AV_CODEC_ID_PCM_S16LE]
        guard streams.all.allSatisfy({ legal.contains($0.codec) }) else {
            throw DecodeError(.internalError, "the clip has a codec that it should not have")
        }
        var firstFrames: [FirstFrame] = []
        // A stream with a codec that is switched off was encoded here. Not even that is decoded.
        for stream in streams.all where !CodecAllowList.refuses(stream.codec, disabled) {
            firstFrames.append(try FirstFrame(of: stream, limits: limits, without: disabled))
        }
        var frames = 0
        var end: Int64 = 0
        while let packet = try demuxer.nextPacket() {
            guard let stream = demuxer.streams.first(where: { $0.index == packet.stream }) else { continue }
            if let first = firstFrames.first(where: { $0.stream == packet.stream }) { try first.take(packet) }
            if stream.kind == .video, !packet.isHidden { frames += 1 }
            if let time = packet.presentationTime, !packet.isHidden {
                end = max(end, stream.microseconds(time + packet.duration))
            }
        }
        let duration = demuxer.duration ?? end
        guard duration > 0, duration <= longest + tolerance, end > 0, !isVideo || frames > 0 else {
            throw DecodeError(.corrupt, "the clip lasts \(duration) µs, with \(frames) frames")
        }
        guard firstFrames.allSatisfy(\.isThere) else {
            throw DecodeError(.corrupt, "the clip's first frame cannot be decoded")
        }
        return Finding(size: streams.video?.displaySize, frames: frames, duration: duration)
    }
}

extension Packet {
    /// A Boolean value that indicates whether the edit list hides the packet: it is decoded but not shown.
    fileprivate var isHidden: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
}
