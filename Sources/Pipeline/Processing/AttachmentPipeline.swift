package import Media
import Payloads
import ServiceExtension
package import Timing

/// One notification from left to right: download, decode, store, rewrite, and a result by the deadline. Start here.
package struct AttachmentPipeline: Sendable {
    private let steps: Steps
    private let time: any TimeSource
    private let makings: Makings
    private let rules: [SourceRule]
    private let forgotten: ForgottenSources
    private let observe: @Sendable (ProcessingResult) -> Void

    /// What does the work, one function each.
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
        observeMaking: @escaping @Sendable (AttachmentEvent) -> Void = { _ in },
        observe: @escaping @Sendable (ProcessingResult) -> Void = { _ in },
    ) {
        self.steps = steps
        makings = Makings(steps: steps, time: time, rule: reuse, costs: costs, observe: observeMaking)
        rules = reuse.sources
        forgotten = ForgottenSources(time: time)
        self.time = time
        self.observe = observe
    }

    /// Always answers, once, before `deadline`: the worst content is the original, unchanged.
    package func process(_ request: ProcessingRequest, deadline: Instant) async -> ProcessingResult {
        let stopwatch = Stopwatch(time: time, start: request.accepted ?? time.now)
        let moment = forgotten.moment
        let budget = TimeBudget(now: time.now, deadline: deadline, storing: steps.store.cost)
        let work = AttachmentExtension(
            makings: makings,
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

    /// Lets no notification have what was made, or is being made, of the source at `url`; gives what the store calls it.
    func forget(source url: String) -> String {
        let source = rules.source(of: url)
        forgotten.forget(source)
        makings.forget({ order, _ in order.source == source }, running: { $0.source == source })
        return source
    }

    /// Lets no notification have the file of that name again.
    func forget(file name: String) {
        makings.forget({ _, made in made.content.ready?.stored?.identifier == name }, running: { _ in false })
    }

    /// Answers with the original content at once: no time is left for anything else, or `failure` says what it is.
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
        observe(result)
        return result
    }
}
