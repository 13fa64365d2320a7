package import Events
package import Media
import Payloads
import ServiceExtension
package import Timing

/// The pipeline for one notification: download, decode, store, rewrite, and answer by the deadline. Start here.
package struct AttachmentPipeline: Sendable {
    private let steps: Steps
    private let time: any TimeSource
    private let cache: AttachmentCache
    private let rules: [SourceRule]
    private let forgotten: ForgottenSources
    private let instrument: any Instrument<ProcessingEvent>

    /// The implementations of the steps.
    package struct Steps: Sendable {
        var downloader: any AttachmentDownloading
        var converter: any AttachmentConverting
        var store: any AttachmentStoring

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
        time: any TimeSource = SystemTime(),
        costs: CostModel = CostModel(),
        instrument: any Instrument<ProcessingEvent> = NoInstrument<ProcessingEvent>(),
    ) {
        self.steps = steps
        cache = AttachmentCache(steps: steps, time: time, rule: reuse, costs: costs, instrument: instrument)
        rules = reuse.sources
        forgotten = ForgottenSources(time: time)
        self.time = time
        self.instrument = instrument
    }

    /// Processes a notification. Always answers once, before `deadline`; at worst with the original content, unchanged.
    package func process(_ request: ProcessingRequest, deadline: Instant) async -> ProcessingResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted ?? time.now)
        let moment = forgotten.moment
        let budget = TimeBudget(now: time.now, deadline: deadline, storing: steps.store.cost)
        let work = AttachmentExtension(
            cache: cache,
            rules: rules,
            request: request,
            expiry: budget.expiry,
            stopwatch: stopwatch
        )
        stopwatch.finish(.queue)

        let delivery = await ServiceExtensionHost(time: time)
            .content(of: request.notification, from: work, until: budget.expiry)
        stopwatch.finish(.decode)

        let stored = await DeliveredFiles(
            store: steps.store,
            time: time,
            sources: request.notification.attachments.map { rules.source(of: $0.url) },
            isForgotten: { [forgotten] in forgotten.contains($0, since: moment) },
        )
        .store(delivery.content, until: budget.storeExpiry)
        stopwatch.finish(.store)

        return finish(request, delivery, stored, stopwatch, deadline)
    }

    /// Drops everything made from the source at `url`, also from work under way, and returns the source's identifier in
    /// the store.
    func forget(source url: String) -> String {
        let source = rules.source(of: url)
        forgotten.forget(source)
        cache.forget({ key, _ in key.source == source }, running: { $0.source == source })
        return source
    }

    /// Drops the file with that name, so that no later notification gets it.
    func forget(file name: String) {
        cache.forget({ _, cached in cached.content.ready?.stored?.identifier == name }, running: { _ in false })
    }

    /// Answers at once with the original content. Without `failure`, the reason is that no time is left.
    package func decline(
        _ request: ProcessingRequest,
        deadline: Instant,
        because failure: AttachmentFailure? = nil,
    ) -> ProcessingResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted ?? time.now)
        stopwatch.finish(.queue)
        var original = NotificationContent(original: request.notification)
        for index in original.attachments.indices { original.attachments[index].failure = failure }
        return finish(request, Delivery(content: original, cause: .expired), [:], stopwatch, deadline)
    }

    private func finish(
        _ request: ProcessingRequest,
        _ delivery: Delivery,
        _ stored: [Int: DeliveredFiles.Outcome],
        _ stopwatch: Stopwatch,
        _ deadline: Instant,
    ) -> ProcessingResult {
        let result = ProcessingResult(
            request: request,
            delivery: delivery,
            stored: stored,
            stopwatch: stopwatch,
            deadline: deadline
        )
        instrument.record(.answered(result))
        return result
    }
}
