import CLibav
import DecoderWire
import Media

/// The emitter of finished clips and posters. It records whether it has emitted one.
final class ClipEmitter {
    private let rungs: Set<Rung>
    private let limits: MediaLimits
    private let disabled: DisabledFormats
    private let output: any RungOutput
    private let stills: any StillEmitter
    private(set) var hasEmitted = false
    /// The size of the last clip, in bytes.
    private(set) var clipByteCount: Int?

    init(for request: ConversionRequest, output: any RungOutput, stills: any StillEmitter) {
        rungs = request.rungs
        limits = request.limits
        disabled = request.disabled
        self.output = output
        self.stills = stills
    }

    func wants(_ rung: Rung) -> Bool { rungs.contains(rung) }

    func emitPoster(_ poster: PosterConversion, for request: ConversionRequest) throws(DecodeError) {
        let still = try poster.still()
        var request = request
        // A clip follows, or the deadline.
        if request.video != nil || poster.mustStop() { request.image = request.image.inHurry }
        try stills.emit(still, as: .poster, for: request, to: output)
        hasEmitted = true
    }

    /// Checks a clip and emits it.
    ///
    /// - Returns: The report on the clip.
    func emit(
        _ file: FileInMemory,
        _ container: Container,
        as rung: Rung,
        of reader: ClipReader,
    ) throws(DecodeError) -> RungReport {
        guard rung != .copied || !file.hasForeignMark else {
            throw DecodeError(.unsupportedFormat, "the copy could be read as another format")
        }
        let finding = try ClipCheck.finding(
            in: file,
            container,
            longest: reader.range.duration,
            limits: limits,
            without: disabled,
        )
        let report = RungReport(
            rung: rung,
            format: container.format,
            byteCount: file.byteCount,
            width: finding.size?.width,
            height: finding.size?.height,
            frames: finding.size == nil ? nil : finding.frames,
            durationMilliseconds: max(1, Int((finding.duration + 500) / 1000)),
            account: reader.account,
        )
        try unsafe file.withBytes { (bytes) throws(DecodeError) in try unsafe output.emit(report, bytes) }
        hasEmitted = true
        clipByteCount = file.byteCount
        return report
    }
}

// MARK: - Checks

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

/// The check that a player can decode a finished clip's stream from its start, as far as the first frame.
final class FirstFrame {
    /// The most packets of sound up to a frame. Decoders of MP3 need data from the packets before, which a cut removes.
    private static let packetLimit = 16

    private let decoder: StreamDecoder
    private var packetCount = 0
    private(set) var isThere = false

    init(of stream: MediaStream, limits: MediaLimits, without disabled: DisabledFormats) throws(DecodeError) {
        decoder = try StreamDecoder.open(
            stream,
            limits: limits,
            isSlow: false,
            isStrict: true,
            without: disabled,
        )
    }

    var stream: Int { decoder.stream.index }

    /// Takes the stream's next packet. A video must begin with a picture that needs no other.
    func take(_ packet: Packet) throws(DecodeError) {
        let isVideo = decoder.stream.kind == .video
        guard !isThere, packetCount < (isVideo ? 1 : Self.packetLimit) else { return }
        packetCount += 1
        let copy = try packet.copy()
        // The edit list may hide the frame.
        unsafe copy.pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD
        isThere = try decoder.decodes(copy, isLast: isVideo)
    }
}
