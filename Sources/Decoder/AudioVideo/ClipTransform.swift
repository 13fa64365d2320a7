import CLibav
package import DecoderWire
package import Media

/// Makes an attachment's clip, or the picture that stands for it, out of one video or sound, rung by rung.
package struct ClipTransform {
    private let request: ConversionRequest
    private let source: any SourceBytes
    private let output: any RungOutput

    package init(request: ConversionRequest, source: any SourceBytes, output: any RungOutput) {
        self.request = request
        self.source = source
        self.output = output
    }

    /// Publishes each rung as soon as it is complete. When this returns, nothing better will come.
    ///
    /// - Throws: Why there will be no better rung than those published. What was published stands.
    package func run() throws(DecodeFailure) {
        guard request.format.kind != .image else {
            throw DecodeFailure(.unsupportedFormat, "\(request.format.rawValue) is neither video nor sound")
        }
        do {
            try convert()
        } catch {
            // What is missing cannot be told from what is damaged, except by the one who sent it.
            guard error.reason == .corrupt, source.isCut else { throw error }
            throw DecodeFailure(.truncated, error.detail)
        }
    }

    private func convert() throws(DecodeFailure) {
        let startsLater = request.clip.start > .zero || request.clip.thumbnailTime != nil
        let demuxer = try Demuxer(source, request.format, usesIndex: startsLater)
        try check(ClipStreams(demuxer.streams).video)
        expectClip(demuxer)
        try demuxer.analyse(request.limits)
        let streams = ClipStreams(demuxer.streams)
        try check(streams.video)
        guard streams.memoryBytes <= request.limits.memoryBytes else {
            throw DecodeFailure(.resourceLimit, "decoding needs \(streams.memoryBytes) bytes of memory")
        }
        output.describe(report(on: streams, in: demuxer), memoryBytes: streams.memoryBytes)
        let publisher = ClipPublisher(rungs: request.rungs, output: output)
        if let video = streams.video {
            let conversion = VideoConversion(
                request: request,
                source: source,
                demuxer: demuxer,
                video: video,
                audio: streams.audio,
                publisher: publisher,
            )
            try conversion.run()
        } else if let audio = streams.audio {
            try AudioConversion(
                request: request,
                source: source,
                demuxer: demuxer,
                audio: audio,
                publisher: publisher,
            ).run()
        } else {
            throw DecodeFailure(.unsupportedFormat, "no stream has a codec that is decoded")
        }
        guard publisher.hasPublished else {
            throw DecodeFailure(.unsupportedFormat, "none of the rungs that were asked for can be made of this source")
        }
    }

    /// Has the clip's bytes asked for at one go, where the source's index tells them.
    private func expectClip(_ demuxer: Demuxer) {
        let streams = ClipStreams(demuxer.streams)
        // For a picture alone the first packets will do.
        guard !source.isWhole, !request.rungs.isDisjoint(with: [.copied, .transcoded]),
            let longest = streams.video == nil ? request.audio?.duration : request.video?.duration
        else { return }
        let range = ClipRange(request.clip, longest: longest, in: demuxer)
        source.expect(ClipExtents(of: range, in: streams.all).ranges)
    }

    private func check(_ video: MediaStream?) throws(DecodeFailure) {
        guard let size = video?.storedSize else { return }
        guard size.longEdge <= request.limits.side, size.pixels <= request.limits.framePixels else {
            throw DecodeFailure(.tooManyPixels, "\(size.width)x\(size.height) is over the limit")
        }
    }

    private func report(on streams: ClipStreams, in demuxer: Demuxer) -> SourceReport {
        // Pixels of a shape that no picture has would make it larger than any may be.
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
