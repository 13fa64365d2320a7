package import Events
package import Media
import Payloads
import ServiceExtension
import Synchronization
package import Timing

/// The pipeline for the attachments of one notification, or for a single source: download, decode, store, and answer by
/// the deadline. Start here.
package struct AttachmentPipeline: Sendable {
    private let steps: Steps
    private let time: any TimeSource
    private let cache: AttachmentCache
    private let index: (any PreparedIndex)?
    private let identity: SourceIdentity
    private let forgotten: ForgottenSources
    private let instrument: any Instrument<ProcessingEvent>

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

    package init(
        steps: Steps,
        reuse: ReuseRule = ReuseRule(),
        index: (any PreparedIndex)? = nil,
        time: any TimeSource = SystemTime(),
        costs: CostModel = CostModel(),
        memory: SourceMemory? = nil,
        instrument: any Instrument<ProcessingEvent> = NoInstrument<ProcessingEvent>(),
    ) {
        self.steps = steps
        let context = AttachmentJob.Context(steps: steps, time: time, costs: costs, memory: memory)
        cache = AttachmentCache(context, rule: reuse, index: index, instrument: instrument)
        self.index = index
        identity = SourceIdentity(rules: reuse.sources) { [downloader = steps.downloader] in
            downloader.accessKey(of: $0)
        }
        forgotten = ForgottenSources(time: time)
        self.time = time
        self.instrument = instrument
    }

    /// Processes a notification. Always answers once, before `deadline`; at worst with the original content, unchanged.
    package func process(_ request: ProcessingRequest, deadline: Instant) async -> ProcessingResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted ?? time.now)
        let delivered = await deliver(request.wantedAttachments(by: identity), stopwatch, by: deadline)
        return finish(request, delivered, stopwatch, deadline)
    }

    /// Processes a source that no notification names, such as a file of a batch. Always answers once, before `deadline`.
    package func process(_ request: SourceRequest, deadline: Instant) async -> SourceResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted)
        let delivered = await deliver([request.wantedAttachment(by: identity)], stopwatch, by: deadline)
        return SourceResult(request, delivered, stopwatch, deadline: deadline)
    }

    /// Makes a source ready ahead of time, and keeps it until then, for this worker and for the fleet. `profile` is the
    /// profile of its notifications. Always answers once, before `deadline`.
    func prepare(_ request: PrepareRequest, profile: Profile, until: UnixTime, deadline: Instant) async
        -> PreparedResult
    {
        let moment = forgotten.moment
        let source = SourceRequest(url: request.source, profile: profile, accepted: time.now)
        var wanted = source.wantedAttachment(by: identity)
        wanted.isPreparation = true
        let stopwatch = Stopwatch(time: time, start: source.accepted)
        let isPrivate = Atomic(false)
        func deliver() async -> SourceResult {
            let delivered = await self.deliver([wanted], stopwatch, by: deadline) { head in
                if !head.freshness.isShareable { isPrivate.store(true, ordering: .relaxed) }
            }
            return SourceResult(source, delivered, stopwatch, deadline: deadline)
        }
        var result = await deliver()
        // A file that was published long ago may be gone before then, so it is published again.
        if let made = result.attachment, let end = steps.store.end(of: made.stored), end < until {
            steps.store.release(made.stored)
            let made = wanted.key
            cache.forget({ key, _ in key == made }, running: { $0 == made })
            result = await deliver()
        }
        func answer(until: UnixTime?, _ remark: String?) -> PreparedResult {
            PreparedResult(request, profile, result, until: until, remark)
        }
        guard !isPrivate.load(ordering: .relaxed) else { return answer(until: nil, Self.isPrivate) }
        guard result.outcome == .complete, let made = result.attachment, let key = wanted.prepared else {
            return answer(until: nil, result.failure == nil ? Self.isPoor : nil)
        }
        let end = min(until, steps.store.end(of: made.stored) ?? until)
        let prepared = PreparedAttachment(stored: made.stored, report: made.report, source: made.source, until: end)
        cache.hold(prepared, for: key)
        let patience = max(.zero, min(Self.indexPatience, deadline - time.now))
        let isShared = await index?.add(prepared, as: PreparedName(key), within: patience) ?? true
        guard !forgotten.contains(wanted.key.source, since: moment) else {
            _ = await forget(source: request.source)
            return answer(until: nil, Self.isForgotten)
        }
        return answer(until: end, isShared ? nil : Self.isUnshared)
    }

    /// The time limit for an entry in the fleet's index, before a campaign.
    private static let indexPatience: Duration = .seconds(5)
    private static let isPrivate =
        "The origin allows no use by others (Cache-Control: private or no-store, or Vary: *), so it is not held."
    private static let isPoor =
        "There was too little time for the best version, so it is not held. Send fewer sources at once, or more time."
    private static let isForgotten = "The source was taken back meanwhile, so it is not held."
    private static let isUnshared =
        "The queue's Redis did not take the entry: the other workers do not know of it. Prepare it again later."

    /// Makes the attachments side by side, takes the best attempts when time expires, and stores them.
    private func deliver(
        _ wanted: [WantedAttachment],
        _ stopwatch: Stopwatch,
        by deadline: Instant,
        onHead: @escaping @Sendable (SourceHead) -> Void = { _ in },
    ) async -> DeliveredAttachments {
        let moment = forgotten.moment
        let budget = TimeBudget(now: time.now, deadline: deadline, storing: steps.store.cost)
        stopwatch.finish(.queue)
        let decoder = WorkingDecoder.current

        let delivery = await ServiceExtensionHost(time: time)
            .delivery(ofAttachments: wanted.count, until: budget.expiry) { [cache] bestAttempt in
                await withDiscardingTaskGroup { group in
                    for (index, attachment) in wanted.enumerated() {
                        group.addTask {
                            await cache.make(attachment, until: budget.expiry) { progress in
                                bestAttempt.update(index) { $0 = progress.content }
                                if let head = progress.head { onHead(head) }
                                if let instant = progress.downloaded { stopwatch.finish(.download, at: instant) }
                                if let instant = progress.decoding {
                                    stopwatch.finishWaiting(at: instant)
                                    decoder?.began()
                                }
                            }
                        }
                    }
                }
            }
        stopwatch.finish(.decode)

        let stored = await DeliveredFiles(
            store: steps.store,
            time: time,
            sources: wanted.map(\.key.source),
            isForgotten: { [forgotten] in forgotten.contains($0, since: moment) },
        )
        .store(delivery.attachments, until: budget.storeExpiry)
        stopwatch.finish(.store)
        return DeliveredAttachments(delivery: delivery, stored: stored)
    }

    /// Drops everything made from the source at `url`, also from work under way. Returns the source's identifier in the
    /// store, and whether the fleet's index knows of it.
    func forget(source url: String) async -> (source: String, isEverywhere: Bool) {
        let source = identity.source(of: url)
        forgotten.forget(source)
        cache.forget({ key, _ in key.source == source }, running: { $0.source == source })
        return (source, await index?.forget(source: source) ?? true)
    }

    /// Drops the file with that name, so that no later notification gets it. Returns whether the fleet's index knows of it.
    func forget(file name: String) async -> Bool {
        cache.forget({ _, cached in cached.content.ready?.stored?.identifier == name }, running: { _ in false })
        return await index?.forget(file: name) ?? true
    }

    /// Answers at once with the original content. Without `failure`, the reason is that no time is left.
    package func decline(
        _ request: ProcessingRequest,
        deadline: Instant,
        because failure: AttachmentFailure? = nil,
    ) -> ProcessingResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted ?? time.now)
        stopwatch.finish(.queue)
        var original = AttachmentContent()
        original.failure = failure
        let attachments = request.notification.attachments.map { _ in original }
        let delivery = Delivery(attachments: attachments, cause: .expired)
        return finish(request, DeliveredAttachments(delivery: delivery, stored: [:]), stopwatch, deadline)
    }

    private func finish(
        _ request: ProcessingRequest,
        _ delivered: DeliveredAttachments,
        _ stopwatch: Stopwatch,
        _ deadline: Instant,
    ) -> ProcessingResult {
        let result = ProcessingResult(request, delivered, stopwatch, deadline: deadline)
        if AnswerReport.current?.make() ?? true { instrument.record(.answered(result)) }
        return result
    }
}

/// The listener of the work under way. It learns, as soon as a decoder has begun an attachment, also one that was begun
/// for another notification.
///
/// A class, because the optimizer of Swift 6.3 breaks a task-local closure: the process died when the value was set.
package final class WorkingDecoder: Sendable {
    @TaskLocal package static var current: WorkingDecoder?

    private let action: @Sendable () -> Void

    /// Creates a listener. `action` may be called often and under locks, so it must return at once.
    package init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    package func began() { action() }
}
