import Media
import ServiceExtension
import Timing

/// Downloads and decodes one attachment at the same time, and tells its making what comes of it.
struct AttachmentWork: Sendable {
    let steps: AttachmentPipeline.Steps
    let time: any TimeSource
    let costs: CostModel
    let crashes: CrashMemory
    let order: AttachmentOrder
    /// What is asked for: the order's source, as the sender gave it.
    let url: String
    /// What was made of the source before; it is made anew only if the source has changed since.
    let before: MadeAttachment?
    let making: AttachmentMaking

    private var deadline: MovingDeadline { making.deadline }

    func run() async {
        do throws(AttachmentFailure) {
            if let refusal = steps.store.refusal { throw refusal }
            if let refusal = crashes.refusal(ofSource: order.source, at: url, now: time.now) { throw refusal }
            let file = try MediaFile(byteLimit: order.limits.sourceBytes, time: time)
            async let downloaded: Void = download(into: file)
            let converted = await convert(file)
            making.update { $0.source.note(file.contents) }
            // The converter wants no more: whatever is still on its way has no use.
            file.end(.cut(AttachmentFailure(.download, .cancelled, "The download was no longer needed.")))
            _ = await downloaded
            if let before, making.progress.head?.isUnchanged == true {
                making.update { $0 = before.content }
            } else {
                try converted.get()
            }
        } catch {
            making.update { [error] in $0.failure = $0.failure ?? error }
        }
    }

    private func download(into file: MediaFile) async {
        await steps.downloader.download(
            url,
            into: file,
            until: deadline,
            kind: order.kind,
            unless: before?.validators,
            onHead: { making.note($0) },
        )
        // A source that is fetched in parts is at hand until the decoder is done with it.
        making.noteDownloaded(at: file.contents.lastArrival ?? time.now)
    }

    private func convert(_ file: MediaFile) async -> Result<Void, AttachmentFailure> {
        let format: MediaFormat
        switch await sniff(file) {
        case .success(let sniffed): format = sniffed
        case .failure(let failure): return .failure(failure)
        }
        making.update { $0.source.format = format }
        // No part of a picture is enough.
        if format.kind == .image { file.want(0..<Int.max) }
        if let refusal = await crashes.refusal(of: file, now: time.now) { return .failure(refusal) }
        let sourceTimer = Task { await endSource(file, decoding: costs.cost(of: format)) }
        defer { sourceTimer.cancel() }
        let wanted = order.conversion(of: format)
        if format.kind == .image { making.onHaste { expiry in await makePart(of: file, as: wanted, until: expiry) } }

        do throws(AttachmentFailure) {
            let worked = try await steps.converter.convert(
                file,
                as: wanted,
                rungs: { rungs(for: format) },
                until: deadline,
                describe: { report in making.update { $0.source.report = report } },
                publish: { rung in
                    let shared = SharedRung(rung)
                    making.update { content in
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
        making.update { $0.isComplete = $0.ready.map { wanted.isLast($0.report) } ?? false }
        return .success(())
    }

    /// For those who are due while the download goes on for others: what can be made of the bytes so far, if nothing else
    /// is ready by then.
    private func makePart(of file: MediaFile, as wanted: ConversionRequest, until expiry: Instant) async {
        let cost = costs.cost(of: wanted.format)
        let instant = TimeBudget.sourceExpiry(now: time.now, expiry: expiry, decoding: cost)
        guard (try? await time.sleep(until: instant)) != nil, making.progress.content.ready == nil,
            let part = try? MediaFile(byteLimit: order.limits.sourceBytes, time: time),
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
                    making.update { content in
                        let isBetter = content.ready.map { $0.report.rung.rank < rung.report.rung.rank } ?? true
                        if isBetter { content.ready = shared }
                    }
                },
            )
        } catch {
            // Why there is nothing to be made of it, who is due learns from the making.
            _ = note(error, over: part)
        }
    }

    private static let late = AttachmentFailure(.download, .timedOut, "The download was not done in time.")

    /// The rungs worth trying for whoever waits longest, and those that whoever waits least may still get.
    private func rungs(for format: MediaFormat) -> Set<Rung> {
        let now = time.now
        let rungs = costs.rungs(for: format, in: deadline.latest - now)
        if !rungs.isSuperset(of: Self.bestRungs) { deadline.recordCutback() }
        return rungs.union(costs.rungs(for: format, in: deadline.soonest - now))
    }

    private static let bestRungs: Set<Rung> = [.downscaled, .animation, .transcoded]

    /// Tells the source's format as soon as enough of it is there.
    private func sniff(_ file: MediaFile) async -> Result<MediaFormat, AttachmentFailure> {
        // An origin may have sent a shorter part than it was asked for.
        file.want(0..<MediaSniffer.byteCount)
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

    /// Remembers a source that ended its decoder process. Gives what the caller hears of the failure.
    private func note(_ failure: AttachmentFailure, over file: MediaFile) -> AttachmentFailure {
        guard [.decoderDied, .decoderLied].contains(failure.reason) else { return cause(of: failure, in: file) }
        crashes.record(file, from: order.source, at: url, now: time.now)
        return failure.reason == .decoderDied ? CrashMemory.remembered : failure
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

extension SourceHead {
    /// Whether the origin said that the source is the version that is known.
    var isUnchanged: Bool { status == 304 }
}
