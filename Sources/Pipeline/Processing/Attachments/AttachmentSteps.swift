import Base
import Media
import Synchronization

/// The steps of one pass of an attachment's work: the download and the decoding, which overlap. `AttachmentWork` decides when
/// they begin, and when they are cancelled.
final class AttachmentSteps: Sendable {
    /// The parts that all attachments of a pipeline share.
    struct Context: Sendable {
        let steps: RecordedSteps
        let time: any TimeSource
        let costs: CostModel
        /// The memory of all sources; `nil` for as much as there is.
        let memory: SourceMemory?
        let crashes: CrashMemory
        /// The lifetime of a source whose origin does not give one.
        let floor: Duration
        /// Returns whether what was made before may be used now.
        let mayReuse: @Sendable () -> Bool
    }

    /// The deadlines of the callers.
    let deadline: Deadline
    private let source: Source
    private let output: WantedOutput
    private let context: Context
    private let receive: ProgressEvent.Receiver
    /// The file and the conversion of which an early result can be made.
    private let early = OneShot<(file: MediaFile, wanted: ConversionRequest)>()
    private let onEarly: @Sendable () -> Void

    /// Creates the steps. `receive` is called with all progress, and `onEarly` when an early result can be made.
    init(
        _ wanted: WantedAttachment,
        _ deadline: Deadline,
        in context: Context,
        onEarly: @escaping @Sendable () -> Void,
        receive: @escaping ProgressEvent.Receiver,
    ) {
        self.deadline = deadline
        source = wanted.source
        output = wanted.key.output
        self.context = context
        self.onEarly = onEarly
        self.receive = receive
    }

    private var steps: RecordedSteps { context.steps }
    private var time: any TimeSource { context.time }

    // MARK: - The steps

    /// Makes the attachment, and reports all progress. The download and the conversion overlap.
    ///
    /// `known` is the version that is made already. It is made again only if the source has changed since.
    func run(unless known: SourceValidators?) async {
        do throws(AttachmentFailure) {
            if let refusal = steps.store.refusal { throw refusal }
            if let refusal = context.crashes.refusal(ofSource: source, now: time.now) { throw refusal }
            let file = try MediaFile(
                byteLimit: output.limits.sourceBytes,
                time: time,
                memory: context.memory,
                deadline: deadline,
            )
            async let downloaded: Void = download(into: file, unless: known)
            let failure = await convert(file)
            receive(.fetched(file.contents))
            // The converter needs no more bytes, so the download ends.
            file.end(.cut(AttachmentFailure(.download, .cancelled, "The download was no longer needed.")))
            // Others wait for the memory. An early result that is still being made keeps it.
            file.release()
            _ = await downloaded
            if let failure { throw failure }
        } catch {
            receive(.failed(error))
        }
    }

    /// Waits for the origin and downloads from it.
    private func download(into file: MediaFile, unless known: SourceValidators?) async {
        await steps.download(
            DownloadJob(
                source,
                into: file,
                deadline: deadline,
                // The callers decide when the download ends. Later ones may have later deadlines.
                timeLimit: NotificationService.longestTimeLimit,
                kind: output.kind,
                unless: known,
                onEvent: receive,
            )
        )
        // A source that is fetched in ranges counts as downloaded when the decoder is done with it.
        receive(.downloaded(at: file.contents.lastArrival ?? time.now))
    }

    /// Converts the source while it arrives. Returns the reason if that fails.
    private func convert(_ file: MediaFile) async -> AttachmentFailure? {
        do throws(AttachmentFailure) {
            let format = try await recognize(file)
            try await refuse(format, file)
            let sourceTimer = Task { await endSource(file, decoding: context.costs.cost(of: format)) }
            defer { sourceTimer.cancel() }
            let wanted = output.conversion(of: format)
            if format.kind == .image {
                early.set((file, wanted))
                onEarly()
                if output.waitsForWholePictures { _ = await file.progress(reaching: .max) }
            }
            try await decode(file, as: wanted)
            receive(.converted(wanted, isHurried: deadline.lastCutback != nil))
            return nil
        } catch {
            return error
        }
    }

    /// Detects the source's format as soon as enough bytes are there.
    private func recognize(_ file: MediaFile) async throws(AttachmentFailure) -> MediaFormat {
        var recognition = FormatRecognition()
        var next = FormatRecognition.firstRange
        while true {
            let range = next
            // Asks explicitly, because an origin may have sent a shorter range than requested. The decoder reads a tag
            // before the range, too.
            file.want(0..<range.upperBound)
            let contents = await file.contents { $0.has(range) || $0.ending != nil }
            let bytes = file.bytes(in: range)
            switch recognition.take(bytes.span) {
            case .looksAt(let range): next = range
            case .recognized(let format?):
                receive(.recognized(format))
                return format
            case .recognized:
                if case .cut(let failure) = contents.ending { throw failure }
                throw MediaSniffer.unrecognized(file.bytes(in: FormatRecognition.firstRange).span)
            }
        }
    }

    /// Throws if the source must not reach a decoder: its format is switched off, or it crashed one before.
    private func refuse(_ format: MediaFormat, _ file: MediaFile) async throws(AttachmentFailure) {
        // Neither the rest of the source nor a decoder is taken for it.
        if let refusal = steps.converter.refusal(of: format) { throw refusal }
        // Decoding an image needs all of its bytes.
        if format.kind == .image { file.want(0..<Int.max) }
        if let refusal = await context.crashes.refusal(of: file, now: time.now) { throw refusal }
    }

    /// Takes a decoder, which emits one output after another.
    private func decode(_ file: MediaFile, as wanted: ConversionRequest) async throws(AttachmentFailure) {
        let job = ConversionJob(
            of: file,
            as: wanted,
            deadline: deadline,
            worthwhileRungs: { [self] in rungs(for: wanted.format) },
        ) { [self] event in
            if case .output = event { receive(.fetched(file.contents)) }
            receive(event)
        }
        let worked: Duration
        do throws(AttachmentFailure) {
            worked = try await steps.convert(job)
        } catch {
            throw await recordCrash(error, over: file)
        }
        if case .cut(let failure) = file.progress.ending { throw failure }
        context.costs.learn(wanted.format, took: worked)
    }

    // MARK: - The deadlines

    /// Makes an early result from the bytes so far, for callers whose deadline comes while the download continues for
    /// others. Does nothing if an output is already there.
    func makeEarlyResult(until expiry: Instant, unless hasOutput: () -> Bool) async {
        guard let (file, wanted) = early.current else { return }
        // It has no decoder process yet, and may wait for one.
        let cost = context.costs.cost(of: wanted.format) * 2
        let instant = TimeBudget.sourceExpiry(now: time.now, expiry: expiry, decoding: cost)
        guard (try? await time.sleep(until: instant)) != nil, !hasOutput(),
            let part = MediaFile(prefixOf: file, ending: .cut(Self.late))
        else { return }
        defer { part.release() }
        let job = ConversionJob(
            of: part,
            as: wanted,
            deadline: Deadline(expiry),
            worthwhileRungs: { [self] in context.costs.rungs(for: wanted.format, in: expiry - time.now) },
        ) { [self] event in
            if case .output(let output) = event { receive(.earlyOutput(output)) }
        }
        do throws(AttachmentFailure) {
            _ = try await steps.convert(job)
        } catch {
            // Records the failure but does not report it: callers get the attempt of the other steps.
            _ = await recordCrash(error, over: part)
        }
    }

    private static let late = AttachmentFailure(.download, .timedOut, "The download did not finish in time.")

    /// Returns the rungs worth trying for the caller with the latest deadline, and those still possible for the
    /// earliest.
    private func rungs(for format: MediaFormat) -> Set<Rung> {
        let (now, costs) = (time.now, context.costs)
        let rungs = costs.rungs(for: format, in: deadline.latest - now)
        if !rungs.isSuperset(of: Rung.full) { deadline.recordCutback() }
        return rungs.union(costs.rungs(for: format, in: deadline.soonest - now))
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

    // MARK: - Crashes

    /// Records a source that crashed its decoder process. Returns the failure to report.
    private func recordCrash(_ failure: AttachmentFailure, over file: MediaFile) async -> AttachmentFailure {
        guard [.decoderDied, .decoderLied].contains(failure.reason) else { return cause(of: failure, in: file) }
        await context.crashes.record(file, from: source, now: time.now)
        return failure.reason == .decoderDied ? CrashMemory.remembered : failure
    }

    /// Returns the failure to report: a download that was cut short explains it better than the decoder's failure.
    private func cause(of failure: AttachmentFailure, in file: MediaFile) -> AttachmentFailure {
        guard case .cut(let cut) = file.progress.ending else { return failure }
        return cut
    }
}
