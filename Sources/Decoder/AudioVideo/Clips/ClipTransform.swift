import CLibav
package import DecoderWire
package import Media

/// The conversion of one video or sound into an attachment's clip or poster, rung by rung.
package struct ClipTransform {
    private let request: ConversionRequest
    private let source: any SourceBytes
    private let output: any RungOutput
    private let stills: any StillEmitter

    /// `stills` encodes the picture that stands for a video.
    package init(
        request: ConversionRequest,
        source: any SourceBytes,
        output: any RungOutput,
        stills: any StillEmitter,
    ) {
        self.request = request
        self.source = source
        self.output = output
        self.stills = stills
    }

    /// Emits each rung as soon as it is complete. After it returns, nothing better will come.
    ///
    /// - Throws: The reason why no better rung follows. Rungs that were emitted remain valid.
    package func run() throws(DecodeError) {
        guard request.format.kind != .image else {
            throw DecodeError(.unsupportedFormat, "\(request.format.rawValue) is neither video nor sound")
        }
        guard !request.disabled.refuses(request.format) else { throw DecodeError.disabled(request.format.rawValue) }
        do {
            try convert()
        } catch {
            // Missing bytes look like damage to a decoder. Only the source knows that it was cut.
            guard error.reason == .corrupt, source.isCut else { throw error }
            throw DecodeError(.truncated, error.detail, cause: error.cause)
        }
    }

    private func convert() throws(DecodeError) {
        let startsLater = request.clip.start > .zero || request.clip.thumbnailTime != nil
        let demuxer = try Demuxer(source, request.format, usesIndex: startsLater, without: request.disabled)
        try checkCodecs(demuxer)
        try check(ClipStreams(demuxer.streams).video)
        expectClip(demuxer)
        try demuxer.analyse(request.limits)
        let streams = ClipStreams(demuxer.streams)
        try checkCodecs(demuxer)
        try check(streams.video)
        guard !demuxer.hasEncryptedStream else { throw DecodeError.encrypted }
        guard streams.video != nil || !demuxer.hasUndecodedVideo else {
            throw DecodeError(.unsupportedFormat, "no video stream has a codec that is decoded", cause: .videoCodec)
        }
        guard streams.memoryBytes <= request.limits.memoryBytes else {
            throw DecodeError(.resourceLimit, "decoding needs \(streams.memoryBytes) bytes of memory")
        }
        output.describe(report(on: streams, in: demuxer), memoryBytes: streams.memoryBytes)
        let emitter = ClipEmitter(for: request, output: output, stills: stills)
        if let video = streams.video {
            let conversion = VideoConversion(
                request: request,
                source: source,
                demuxer: demuxer,
                video: video,
                audio: streams.audio,
                emitter: emitter,
            )
            try conversion.run()
        } else if let audio = streams.audio {
            try AudioConversion(
                request: request,
                source: source,
                demuxer: demuxer,
                audio: audio,
                emitter: emitter,
            ).run()
        } else {
            throw DecodeError(.unsupportedFormat, "no stream has a codec that is decoded")
        }
        // The rungs that were left out take more time than there is.
        guard emitter.hasEmitted else {
            throw DecodeError(.timedOut, "none of the rungs that were asked for can be made of this source")
        }
    }

    /// Asks for all of the clip's bytes at once, if the source's index gives their positions.
    private func expectClip(_ demuxer: Demuxer) {
        let streams = ClipStreams(demuxer.streams)
        // A poster needs only the first packets.
        guard !source.isWhole, !request.rungs.isDisjoint(with: [.copied, .transcoded]),
            let longest = streams.video == nil ? request.audio?.duration : request.video?.duration
        else { return }
        let range = ClipRange(request.clip, longest: longest, in: demuxer)
        source.expect(ClipExtents(of: range, in: streams.all).ranges)
    }

    /// Throws if a stream has a codec that is switched off, even one that would not be played.
    private func checkCodecs(_ demuxer: Demuxer) throws(DecodeError) {
        for stream in demuxer.streams where CodecAllowList.refuses(stream.codec, request.disabled) {
            throw DecodeError.disabled("a stream's codec")
        }
    }

    private func check(_ video: MediaStream?) throws(DecodeError) {
        guard let video else { return }
        let size = video.storedSize
        guard size.longEdge <= request.limits.side, size.pixels <= request.limits.framePixels else {
            throw DecodeError(.tooManyPixels, "\(size.width)x\(size.height) is over the limit")
        }
        guard !video.isDolbyVisionOnly else { throw DecodeError.dolbyVision }
    }

    private func report(on streams: ClipStreams, in demuxer: Demuxer) -> SourceReport {
        // Pixels with an extreme aspect ratio would make the displayed size exceed every limit.
        let size = streams.video.map { video in
            let shown = video.displaySize
            let isAllowed = shown.longEdge <= request.limits.side && shown.pixels <= request.limits.framePixels
            return isAllowed ? shown : video.storedSize
        }
        return SourceReport(
            width: size?.width,
            height: size?.height,
            durationMilliseconds: demuxer.duration.map { Int($0 / 1000) },
        )
    }
}
