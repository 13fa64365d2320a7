import Media
import Payloads
import ServiceExtension

/// The service extension that makes a notification's attachments ready, all of them side by side.
struct AttachmentExtension: NotificationServiceExtension {
    let steps: AttachmentPipeline.Steps
    let time: any TimeSource
    let costs: CostModel
    let request: ProcessingRequest
    let expiry: Instant
    let stopwatch: Stopwatch

    func didReceive(_ request: NotificationRequest, bestAttempt: BestAttempt) async -> NotificationContent {
        await withDiscardingTaskGroup { group in
            for (index, attachment) in request.attachments.enumerated() {
                group.addTask { await prepare(attachment, index, bestAttempt) }
            }
        }
        return bestAttempt.content
    }

    /// Downloads and decodes one attachment at the same time, and notes in `bestAttempt` what becomes of it.
    private func prepare(_ attachment: AttachmentRequest, _ index: Int, _ bestAttempt: BestAttempt) async {
        do throws(AttachmentFailure) {
            let file = try MediaFile(byteLimit: request.limits.sourceBytes, time: time)
            async let downloaded: Void = download(attachment, into: file)
            let converted = await convert(file, attachment, index, bestAttempt)
            bestAttempt.update(index) { $0.source.note(file.contents) }
            // The converter wants no more: whatever is still on its way has no use.
            file.end(.cut(AttachmentFailure(.download, .cancelled, "The download was no longer needed.")))
            _ = await downloaded
            try converted.get()
        } catch {
            bestAttempt.update(index) { [error] in $0.failure = $0.failure ?? error }
        }
    }

    private func download(_ attachment: AttachmentRequest, into file: MediaFile) async {
        let kind = attachment.options.typeHint.flatMap(MediaFormat.init(typeIdentifier:))?.kind
        await steps.downloader.download(attachment.url, into: file, timeLimit: expiry - time.now, kind: kind)
        // A source that is fetched in parts is at hand until the decoder is done with it.
        stopwatch.finish(.download, at: file.contents.lastArrival)
    }

    private func convert(
        _ file: MediaFile,
        _ attachment: AttachmentRequest,
        _ index: Int,
        _ bestAttempt: BestAttempt,
    ) async -> Result<Void, AttachmentFailure> {
        let format: MediaFormat
        switch await sniff(file) {
        case .success(let sniffed): format = sniffed
        case .failure(let failure): return .failure(failure)
        }
        bestAttempt.update(index) { $0.source.format = format }
        // No part of a picture is enough.
        if format.kind == .image { file.want(0..<Int.max) }
        let sourceTimer = Task { await endSource(file, decoding: costs.cost(of: format)) }
        defer { sourceTimer.cancel() }
        let wanted = conversion(of: attachment, index, format)

        do throws(AttachmentFailure) {
            let worked = try await steps.converter.convert(
                file,
                as: wanted,
                rungs: { costs.rungs(for: format, in: expiry - time.now) },
                until: expiry,
                describe: { report in bestAttempt.update(index) { $0.source.report = report } },
                publish: { rung in
                    bestAttempt.update(index) { attachment in
                        attachment.ready = rung
                        attachment.source.note(file.contents)
                    }
                },
            )
            if case .cut(let failure) = file.progress.ending { return .failure(failure) }
            costs.learn(format, took: worked)
        } catch {
            return .failure(cause(of: error, in: file))
        }
        bestAttempt.update(index) { $0.isComplete = $0.ready.map { wanted.isLast($0.report) } ?? false }
        return .success(())
    }

    /// What the profile, the request and the attachment's options ask for.
    private func conversion(
        of attachment: AttachmentRequest,
        _ index: Int,
        _ format: MediaFormat,
    ) -> ConversionRequest {
        let profile = request.profiles[index].profile
        var clip = request.clip
        clip.thumbnailTime = attachment.options.thumbnailTime.map { .seconds(min(max(0, $0), 86_400)) }
        return ConversionRequest(
            format: format,
            image: profile.image,
            animation: profile.animation,
            clippingRectangle: request.clippingRectangle(of: index),
            video: profile.video,
            audio: profile.audio,
            clip: clip,
            limits: request.limits,
        )
    }

    /// Tells the source's format as soon as enough of it is there.
    private func sniff(_ file: MediaFile) async -> Result<MediaFormat, AttachmentFailure> {
        let progress = await file.progress(reaching: MediaSniffer.byteCount)
        let head = file.prefix(MediaSniffer.byteCount)
        if head.isEmpty, case .cut(let failure) = progress.ending { return .failure(failure) }
        guard let format = MediaSniffer.format(of: head.span) else {
            if case .cut(let failure) = progress.ending { return .failure(failure) }
            let message = "The source is no image, video or sound that attachd knows, whatever its name or type says."
            return .failure(AttachmentFailure(.decode, .unrecognizedFormat, message))
        }
        return .success(format)
    }

    /// Ends a source that is still waited for in time for what came of it to be decoded.
    private func endSource(_ file: MediaFile, decoding cost: Duration) async {
        let instant = TimeBudget.sourceExpiry(now: time.now, expiry: expiry, decoding: cost)
        guard (try? await time.sleep(until: instant)) != nil else { return }
        file.endIfMissing(AttachmentFailure(.download, .timedOut, "The download was not done in time."))
    }

    /// A source that was cut short explains a failed conversion better than the decoder does.
    private func cause(of failure: AttachmentFailure, in file: MediaFile) -> AttachmentFailure {
        guard case .cut(let cut) = file.progress.ending else { return failure }
        return cut
    }
}

extension AttachmentSource {
    /// How much of it there is by now.
    fileprivate mutating func note(_ contents: SourceContents) {
        fetched = contents.present.count
        byteCount = contents.size
    }
}
