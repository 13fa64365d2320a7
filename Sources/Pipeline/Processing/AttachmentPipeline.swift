package import Base
package import Media
import Payloads

/// The pipeline for the attachments of one notification, or for a single source: download, decode, store, and answer by
/// the deadline. Start here.
package struct AttachmentPipeline: Sendable {
    let steps: RecordedSteps
    let time: any TimeSource
    let cache: AttachmentCache
    let index: (any PreparedIndex)?
    let resolver: SourceResolver
    let forgotten: ForgottenSources
    /// Returns the name of a source by which it is taken back.
    private let sourceName: @Sendable (String) -> String
    private let recorder: any EventRecorder<ProcessingEvent>

    /// The implementations of the steps.
    package struct Steps: Sendable {
        package var downloader: any AttachmentDownloading
        package var converter: any AttachmentConverting
        package var store: any AttachmentStoring

        package init(
            downloader: any AttachmentDownloading,
            converter: any AttachmentConverting,
            store: any AttachmentStoring,
        ) {
            self.downloader = downloader
            self.converter = converter
            self.store = store
        }
    }

    /// A simulation leaves out the `thread`.
    package init(
        steps: Steps,
        reuse: ReuseRule = ReuseRule(),
        index: (any PreparedIndex)? = nil,
        time: any TimeSource = SystemTime(),
        costs: CostModel = CostModel(),
        memory: SourceMemory? = nil,
        recorder: any EventRecorder<ProcessingEvent> = NoRecorder<ProcessingEvent>(),
        mayReuse: @escaping @Sendable () -> Bool = { true },
        sourceName: @escaping @Sendable (String) -> String = { $0 },
        thread: WorkThreads? = WorkThreads("crashes", limit: 1),
    ) {
        self.steps = RecordedSteps(steps: steps, recorder: recorder)
        let context = AttachmentSteps.Context(
            steps: self.steps,
            time: time,
            costs: costs,
            memory: memory,
            crashes: CrashMemory(thread: thread),
            floor: reuse.floor,
            mayReuse: mayReuse,
        )
        cache = AttachmentCache(context, index: index)
        self.index = index
        resolver = SourceResolver(rules: reuse.sources) { [downloader = steps.downloader] in downloader.resolve($0) }
        forgotten = ForgottenSources(time: time)
        self.sourceName = sourceName
        self.time = time
        self.recorder = recorder
    }

    // MARK: - The walk of a notification

    /// Processes a notification. Always answers once, before `deadline`; at worst with the original content, unchanged.
    /// Cancelling the task answers at once with what is ready.
    package func process(_ request: ProcessingRequest, deadline: Instant) async -> ProcessingResult {
        let run = startClock(request.accepted, deadline)
        let wanted = request.wantedAttachments(by: resolver)
        let attempts = await attempt(wanted, run)
        let ready = await store(attempts, run)
        let rewritten = rewrite(request, with: ready)
        let remarks = lint(rewritten, of: request)
        return answer(
            ProcessingResult(request, wanted.map(\.source), rewritten, remarks, run.stopwatch, deadline: deadline)
        )
    }

    /// Answers at once with the original content. Without `failure`, the reason is that no time is left.
    package func decline(
        _ request: ProcessingRequest,
        deadline: Instant,
        because failure: AttachmentFailure? = nil,
    ) -> ProcessingResult {
        let run = startClock(request.accepted, deadline)
        let wanted = request.wantedAttachments(by: resolver)
        var original = ReadyAttachment()
        original.failure = failure ?? AttachmentWork.expired
        let rewritten = rewrite(request, with: wanted.map { _ in original })
        let remarks = lint(rewritten, of: request)
        return answer(
            ProcessingResult(request, wanted.map(\.source), rewritten, remarks, run.stopwatch, deadline: deadline)
        )
    }

    /// Processes a source that no notification names, such as a file of a batch. Always answers once, before `deadline`.
    package func process(_ request: SourceRequest, deadline: Instant) async -> SourceResult {
        await process(request, request.wantedAttachment(by: resolver), deadline: deadline).result
    }

    /// Processes a single source like the attachment of a notification.
    func process(
        _ request: SourceRequest,
        _ wanted: WantedAttachment,
        deadline: Instant,
    ) async -> (result: SourceResult, attachment: ReadyAttachment) {
        let run = startClock(request.accepted, deadline)
        let attempts = await attempt([wanted], run)
        let ready = await store(attempts, run)[0]
        return (SourceResult(request, ready, run.stopwatch, deadline: deadline), ready)
    }

    // MARK: - Its steps

    /// The time of one call of `process`, and the moment at which it began.
    private struct Run {
        var stopwatch: Stopwatch
        var budget: TimeBudget
        /// Sources that are taken back after this moment are not delivered.
        var moment: ForgottenSources.Moment
    }

    /// Divides the time until the deadline.
    private func startClock(_ accepted: Instant?, _ deadline: Instant) -> Run {
        let now = time.now
        let stopwatch = Stopwatch(time: time, start: accepted ?? now)
        stopwatch.finish(.queue)
        let budget = TimeBudget(now: now, deadline: deadline, storing: steps.store.cost, lateness: time.lateness)
        return Run(stopwatch: stopwatch, budget: budget, moment: forgotten.moment)
    }

    /// Makes the attachments side by side: each joins work in progress or begins it. Takes the best attempts when time expires.
    private func attempt(_ wanted: [WantedAttachment], _ run: Run) async -> [AttachmentCache.Attempt] {
        let attempts = await wanted.mapSideBySide { [cache] wanted in
            await cache.attempt(wanted, until: run.budget.expiry) { [self] in
                isForgotten(wanted.key.source, since: run.moment)
            }
        }
        // Of several attachments, the last one's end counts.
        if let end = attempts.compactMap(\.attachment.downloaded).max() { run.stopwatch.finish(.download, at: end) }
        for instant in attempts.compactMap(\.attachment.decoding) { run.stopwatch.finishWaiting(at: instant) }
        run.stopwatch.finish(.decode)
        return attempts
    }

    /// Stores the outputs, as far as there is time.
    private func store(_ attempts: [AttachmentCache.Attempt], _ run: Run) async -> [ReadyAttachment] {
        let stored = await attempts.mapSideBySide { attachment, caller in
            guard attachment.output != nil else { return attachment }
            var attachment = attachment
            switch await caller.stored(until: run.budget.storeExpiry) {
            case .success(let stored): attachment.stored = stored
            case .failure(let failure): (attachment.stored, attachment.failure) = (nil, failure)
            }
            return attachment
        }
        run.stopwatch.finish(.store)
        return stored
    }

    /// Rewrites the payload with the stored attachments.
    private func rewrite(_ request: ProcessingRequest, with ready: [ReadyAttachment]) -> RewrittenNotification {
        RewrittenNotification(request, ready)
    }

    /// Returns the linter's findings on the payload as it goes on: a code, a colon, and the text.
    private func lint(_ rewritten: RewrittenNotification, of request: ProcessingRequest) -> [String] {
        PayloadLinter(now: UnixTime.now.seconds)
            .findings(in: request.notification, rewritten: rewritten.payload, delivered: rewritten.linked)
            .map(\.remark)
    }

    private func answer(_ result: ProcessingResult) -> ProcessingResult {
        let report = AnswerReport.current
        // A job that goes back to the queue is answered by another worker.
        if report != nil, Task.isCancelled { return result }
        guard report?.make() ?? true else { return result }
        recorder.record(.answered(result))
        // The worker of the queue measures when the answer of a job is committed.
        if report != nil { recorder.record(.left(margin: result.margin)) }
        return result
    }

    /// Records that these answers left the process.
    func left(_ results: [ProcessingResult], at now: Instant) {
        for result in results { recorder.record(.left(margin: max(.zero, result.deadline - now))) }
    }

    // MARK: - Sources that are taken back

    /// Drops everything made from the source at `url`, including work in progress. Returns the source's identity.
    func forget(source url: String) async -> String {
        let source = resolver.source(of: url).identity
        forget(sourceNamed: sourceName(source))
        await index?.forget(source: source)
        return source
    }

    /// Drops everything made from the source with that name, including work in progress.
    func forget(sourceNamed name: String) {
        forgotten.forget(name)
        cache.forget { [sourceName] in sourceName($0.source) == name }
    }

    /// Drops the file with that name, so that no later notification gets it.
    func forget(file name: String) { cache.forget(file: name) }

    /// Returns whether a source was taken back after `moment`.
    func isForgotten(_ source: String, since moment: ForgottenSources.Moment) -> Bool {
        forgotten.contains(sourceName(source), since: moment)
    }
}

extension Array where Element: Sendable {
    /// Returns the results of `work` on all elements, which runs side by side, in their order.
    fileprivate func mapSideBySide<Result: Sendable>(_ work: @escaping @Sendable (Element) async -> Result) async
        -> [Result]
    {
        guard count > 1 else { return if let first { [await work(first)] } else { [] } }
        return await withTaskGroup { group in
            for (index, element) in enumerated() { group.addTask { (index, await work(element)) } }
            return await group.reduce(into: [Int: Result]()) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

// MARK: - The steps

/// The step that fetches a source. `App` makes libcurl's downloader conform.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into the job's file, at least those that its readers want, and ends the file.
    ///
    /// Returns soon after somebody else has ended the file. Reports the head of each answer before any byte of that
    /// answer is in the file. A source without such heads is not shared.
    func download(_ job: DownloadJob) async

    /// Returns the source that `text` names. Called once for each attachment.
    func resolve(_ text: String) -> Source
}

extension AttachmentDownloading {
    package func resolve(_ text: String) -> Source { Source(text) }
}

/// The step that converts a source. `App` makes the pool of decoder processes conform.
package protocol AttachmentConverting: Sendable {
    /// Returns the failure of every source of `format` if that is switched off, and `nil` otherwise.
    func refusal(of format: MediaFormat) -> AttachmentFailure?

    /// Converts a source. Reports its description and each output, and returns when nothing better will come.
    ///
    /// - Returns: The time that the decoder worked, without the time that it waited.
    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration
}

extension AttachmentConverting {
    package func refusal(of format: MediaFormat) -> AttachmentFailure? { nil }
}

/// The step that keeps delivered files. `App` makes the attachment store conform.
package protocol AttachmentStoring: Sendable {
    /// The time that storing nearly always takes in addition to moving a file on this machine.
    var cost: Duration { get }
    /// The reason why nothing can be stored now; `nil` if none is known without trying.
    var refusal: AttachmentFailure? { get }

    /// Moves an output to the location in the store that its URL leads to, and records its source, so that it can be
    /// removed together with the source's other files. Stores either all of it or nothing.
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile

    /// The time after which the store may have removed the file; `nil` if each use of the file extends its life.
    func end(of stored: StoredFile) -> UnixTime?

    /// Has the file stored once more by the next notification that makes it.
    func release(_ stored: StoredFile)

    /// Removes a stored file.
    func forget(_ stored: StoredFile) async

    /// Returns whether the file was taken back. Asks nobody.
    func isForgotten(_ stored: StoredFile) -> Bool

    /// Extends the lifetime of a stored file as if it were stored now, and gives it a new URL. Returns `nil` if it no
    /// longer exists.
    func renew(_ stored: StoredFile) async -> StoredFile?

    /// Renews a stored file like `renew(_:)`, if nothing has to be waited for. Otherwise returns `nil`.
    func renewAtOnce(_ stored: StoredFile) -> StoredFile?
}

extension AttachmentStoring {
    package var cost: Duration { .zero }
    package var refusal: AttachmentFailure? { nil }

    package func end(of stored: StoredFile) -> UnixTime? { nil }

    package func release(_ stored: StoredFile) {}

    package func forget(_ stored: StoredFile) async {}

    package func isForgotten(_ stored: StoredFile) -> Bool { false }

    package func renewAtOnce(_ stored: StoredFile) -> StoredFile? { nil }
}
