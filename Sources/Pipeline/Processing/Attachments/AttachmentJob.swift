import Media
import ServiceExtension
import Timing

/// The download and the decoding of one attachment, which overlap. Progress goes to the shared job.
struct AttachmentJob: Sendable {
    let steps: AttachmentPipeline.Steps
    let time: any TimeSource
    let costs: CostModel
    let crashes: CrashMemory
    let key: AttachmentKey
    /// The URL to fetch, as the sender gave it.
    let url: String
    /// The cached attachment of this source. It is made again only if the source has changed since.
    let before: CachedAttachment?
    let job: SharedAttachmentJob

    private var deadline: MovingDeadline { job.deadline }

    func run() async {
        do throws(AttachmentFailure) {
            if let refusal = steps.store.refusal { throw refusal }
            if let refusal = crashes.refusal(ofSource: key.source, at: url, now: time.now) { throw refusal }
            let file = try MediaFile(byteLimit: key.limits.sourceBytes, time: time)
            async let downloaded: Void = download(into: file)
            let converted = await convert(file)
            job.update { $0.source.note(file.contents) }
            // The converter needs no more bytes, so the download ends.
            file.end(.cut(AttachmentFailure(.download, .cancelled, "The download was no longer needed.")))
            _ = await downloaded
            if let before, job.progress.head?.isUnchanged == true {
                job.update { $0 = before.content }
            } else {
                try converted.get()
            }
        } catch {
            job.update { [error] in $0.failure = $0.failure ?? error }
        }
    }

    private func download(into file: MediaFile) async {
        await steps.downloader.download(
            url,
            into: file,
            until: deadline,
            kind: key.kind,
            unless: before?.validators,
            onHead: { job.note($0) },
        )
        // A source that is fetched in ranges counts as downloaded when the decoder is done with it.
        job.noteDownloaded(at: file.contents.lastArrival ?? time.now)
    }

    private func convert(_ file: MediaFile) async -> Result<Void, AttachmentFailure> {
        let format: MediaFormat
        switch await sniff(file) {
        case .success(let sniffed): format = sniffed
        case .failure(let failure): return .failure(failure)
        }
        job.update { $0.source.format = format }
        // Decoding an image needs all of its bytes.
        if format.kind == .image { file.want(0..<Int.max) }
        if let refusal = await crashes.refusal(of: file, now: time.now) { return .failure(refusal) }
        let sourceTimer = Task { await endSource(file, decoding: costs.cost(of: format)) }
        defer { sourceTimer.cancel() }
        let wanted = key.conversion(of: format)
        if format.kind == .image {
            job.onEarlyDeadline { expiry in await makePart(of: file, as: wanted, until: expiry) }
        }

        do throws(AttachmentFailure) {
            let worked = try await steps.converter.convert(
                file,
                as: wanted,
                rungs: { rungs(for: format) },
                until: deadline,
                describe: { report in job.update { $0.source.report = report } },
                publish: { rung in
                    let shared = SharedRung(rung)
                    job.update { content in
                        content.ready = shared
                        content.source.note(file.contents)
                    }
                },
            )
            if case .cut(let failure) = file.progress.ending { return .failure(failure) }
            costs.learn(format, took: worked)
        } catch {
            return .failure(note(error, over: file))
        }
        job.update { $0.isComplete = $0.ready.map { wanted.isLast($0.report) } ?? false }
        return .success(())
    }

    /// Makes an early result from the bytes so far, for waiters whose deadline comes while the download continues for
    /// others. Does nothing if a result is already there.
    private func makePart(of file: MediaFile, as wanted: ConversionRequest, until expiry: Instant) async {
        let cost = costs.cost(of: wanted.format)
        let instant = TimeBudget.sourceExpiry(now: time.now, expiry: expiry, decoding: cost)
        guard (try? await time.sleep(until: instant)) != nil, job.progress.content.ready == nil,
            let part = try? MediaFile(byteLimit: key.limits.sourceBytes, time: time),
            (try? part.append(file.prefix(file.progress.byteCount))) != nil
        else { return }
        part.end(.cut(Self.late))
        do throws(AttachmentFailure) {
            _ = try await steps.converter.convert(
                part,
                as: wanted,
                rungs: { costs.rungs(for: wanted.format, in: expiry - time.now) },
                until: MovingDeadline(expiry),
                describe: { _ in },
                publish: { rung in
                    let shared = SharedRung(rung)
                    job.update { content in
                        let isBetter = content.ready.map { $0.report.rung.rank < rung.report.rung.rank } ?? true
                        if isBetter { content.ready = shared }
                    }
                },
            )
        } catch {
            // Records the failure but does not report it: early waiters get the shared job's outcome.
            _ = note(error, over: part)
        }
    }

    private static let late = AttachmentFailure(.download, .timedOut, "The download did not finish in time.")

    /// Returns the rungs worth trying for the waiter with the latest deadline, and those still possible for the
    /// earliest.
    private func rungs(for format: MediaFormat) -> Set<Rung> {
        let now = time.now
        let rungs = costs.rungs(for: format, in: deadline.latest - now)
        if !rungs.isSuperset(of: Self.bestRungs) { deadline.recordCutback() }
        return rungs.union(costs.rungs(for: format, in: deadline.soonest - now))
    }

    private static let bestRungs: Set<Rung> = [.downscaled, .animation, .transcoded]

    /// Detects the source's format as soon as enough bytes are there.
    private func sniff(_ file: MediaFile) async -> Result<MediaFormat, AttachmentFailure> {
        // Asks explicitly, because an origin may have sent a shorter range than requested.
        file.want(0..<MediaSniffer.byteCount)
        let progress = await file.progress(reaching: MediaSniffer.byteCount)
        let head = file.prefix(MediaSniffer.byteCount)
        if head.isEmpty, case .cut(let failure) = progress.ending { return .failure(failure) }
        guard let format = MediaSniffer.format(of: head.span) else {
            if case .cut(let failure) = progress.ending { return .failure(failure) }
            let message =
                "The source is not an image, video, or sound in a supported format, whatever its name or type says."
            return .failure(AttachmentFailure(.decode, .unrecognizedFormat, message))
        }
        return .success(format)
    }

    /// Ends the download early enough to decode the bytes so far before the deadline.
    private func endSource(_ file: MediaFile, decoding cost: Duration) async {
        let start = time.now
        let sourceExpiry: @Sendable (Instant) -> Instant = { expiry in
            TimeBudget.sourceExpiry(now: start, expiry: expiry, decoding: cost)
        }
        guard (try? await deadline.wait(on: time, until: sourceExpiry)) != nil, file.contents.missing != nil else {
            return
        }
        deadline.recordCutback()
        file.endIfMissing(Self.late)
    }

    /// Records a source that crashed its decoder process. Returns the failure to report.
    private func note(_ failure: AttachmentFailure, over file: MediaFile) -> AttachmentFailure {
        guard [.decoderDied, .decoderLied].contains(failure.reason) else { return cause(of: failure, in: file) }
        crashes.record(file, from: key.source, at: url, now: time.now)
        return failure.reason == .decoderDied ? CrashMemory.remembered : failure
    }

    /// Returns the failure to report: a download that was cut short explains it better than the decoder's failure.
    private func cause(of failure: AttachmentFailure, in file: MediaFile) -> AttachmentFailure {
        guard case .cut(let cut) = file.progress.ending else { return failure }
        return cut
    }
}

extension AttachmentSource {
    /// Records the downloaded and the total number of bytes.
    fileprivate mutating func note(_ contents: SourceContents) {
        fetched = contents.present.count
        byteCount = contents.size
    }
}

extension SourceHead {
    /// A Boolean value that indicates whether the origin answered that the source has not changed.
    var isUnchanged: Bool { status == 304 }
}
