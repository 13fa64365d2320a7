import Base
import Logging
import Media
import Payloads
package import Processing
import Synchronization

/// The observer of notifications and their attachments.
package final class ProcessingObserver: EventRecorder {
    private let started = Counter("attachd_attachments_started_total", "Attachments whose download was started.")
    private let joined = Counter(
        "attachd_attachments_joined_total",
        "Attachments that joined work in progress for another notification.",
    )
    private let reused = Counter(
        "attachd_attachments_reused_total",
        "Attachments taken from the cache without asking the origin.",
    )
    private let revalidated = Counter(
        "attachd_attachments_revalidated_total",
        "Attachments taken from the cache after the origin confirmed that the source has not changed.",
    )
    private let notifications = Counter(
        "attachd_notifications_total",
        "Notifications answered, by outcome; none if attachd looked for no attachment or found none.",
        by: "outcome",
        with: ProcessingResult.Outcome.allCases.map(\.rawValue) + ["none"],
    )
    private let unchanged = Counter(
        "attachd_unchanged_payloads_total",
        "Payloads with attachments that went out unchanged, by reason.",
        by: "reason",
    )
    private let rungs = Counter("attachd_rungs_total", "Attachments delivered, by rung.", by: "rung")
    private let failures = Counter(
        "attachd_failures_total",
        "Attachments that failed or were not complete, by stage and reason.",
        by: "reason",
        "stage",
    )
    private let stages = Histogram(
        "attachd_stage_seconds",
        "Duration of each stage of a notification.",
        by: "stage",
        with: Stopwatch.Stage.allCases.map(\.rawValue) + ["total"],
    )
    private let margin = Histogram("attachd_margin_seconds", "Time left until the deadline when an answer leaves.")
    private let fetched = Counter(
        "attachd_fetched_bytes_total",
        "Bytes downloaded for attachments that were delivered.",
    )
    private let delivered = Counter("attachd_delivered_bytes_total", "Bytes of attachments delivered.")
    private let log: Logger
    private let sample: Int?
    private let answerCount = Atomic(0)
    private let tracer: SpanTracer?
    /// The spans that began work, by its number. A table for the work of a few seconds: work that is joined later has
    /// no link.
    private let beginners = Mutex(BoundedTable<Int, SpanContext>(entryLimit: 1024))

    /// Creates the observer. One of `sample` notifications has a line in the log, or none if that is `nil`.
    init(log: Logger, sample: Int?, tracer: SpanTracer?) {
        self.log = log
        self.sample = sample
        self.tracer = tracer
    }

    package func record(_ event: ProcessingEvent) {
        switch event {
        case .attachment(.begun(let work)):
            started.add()
            if let span = RecordedSpan.current, span.isRecording {
                beginners.withLock { $0.insert(span.context, for: work) }
            }
        case .attachment(.joined(let work)):
            joined.add()
            if let span = RecordedSpan.current, let beginner = beginners.withLock({ $0[work] }) {
                span.add(link: beginner, ["attachd.reason": "joined"])
            }
        case .attachment(.reused):
            reused.add()
            RecordedSpan.current?.add(event: "taken from the cache")
        case .attachment(.revalidated):
            revalidated.add()
            RecordedSpan.current?.add(event: "source confirmed as unchanged")
        case .answered(let result):
            count(result)
            let number = answerCount.wrappingAdd(1, ordering: .relaxed).oldValue
            if let sample, number % sample == 0 { log.info("Notification finished.", metadata: result.logMetadata) }
            if let span = RecordedSpan.current, span.isRecording { span.add(result.spanAttributes) }
        case .left(let margin): self.margin.record(margin)
        case .step(let activity, .downloads(let source)):
            // The host only: path and query may contain secrets.
            begin(activity, "download", .client, ["server.address": .text(source.host ?? "none")])
        case .step(let activity, .decodes(let format)):
            begin(activity, "decode", .internal, ["attachd.format": .text("\(format)")])
        case .step(let activity, .stores(let report)):
            let bytes = SpanValue.number(report.byteCount)
            begin(activity, "store", .internal, ["attachd.rung": .text(report.rung.rawValue), "attachd.bytes": bytes])
        case .step(let activity, .progresses(let progress)): activity.recorded?.add(progress)
        case .step(let activity, .downloaded(let contents)):
            activity.recorded?.add(["attachd.fetched_bytes": .number(contents.present.count)])
            if case .cut(let failure) = contents.ending { activity.recorded?.fail(failure) }
        case .step(let activity, .decoded(let worked)):
            activity.recorded?.add(["attachd.worked_ms": .number(worked.milliseconds)])
        case .step(_, .stored): break
        case .step(let activity, .failed(let failure)): activity.recorded?.fail(failure)
        }
    }

    private func begin(_ activity: Activity, _ name: String, _ kind: SpanKind, _ attributes: SpanAttributes) {
        activity.span = tracer?.span(name, kind, below: .current, attributes)
    }

    private func count(_ result: ProcessingResult) {
        // Alerts on originals are about attachments that got lost.
        let isWithout = result.request.notification.attachments.isEmpty && result.failures.isEmpty
        notifications.add(isWithout ? "none" : result.outcome.rawValue)
        if let reason = result.unchangedReason { unchanged.add(reason) }
        for stage in Stopwatch.Stage.allCases { stages.record(result.stages[stage], stage.rawValue) }
        stages.record(result.total, "total")
        for attachment in result.attachments {
            rungs.add(attachment.report.rung.rawValue)
            fetched.add(by: attachment.source.fetched)
            delivered.add(by: attachment.report.byteCount)
        }
        for failure in result.failures {
            failures.add(failure.failure.reason.rawValue, failure.failure.stage.rawValue)
        }
    }
}

// MARK: - The log

extension ProcessingResult {
    /// The most names in one value: a payload may have many attachments.
    private static let mostNames = 4

    /// The values of a log line. They have neither paths nor queries of URLs, which may contain secrets.
    fileprivate var logMetadata: Logger.Metadata {
        func names(_ all: [String]) -> Logger.MetadataValue? {
            var seen: [String] = []
            for name in all where !seen.contains(name) { seen.append(name) }
            guard !seen.isEmpty else { return nil }
            let names = seen.prefix(Self.mostNames).joined(separator: ",")
            return .string(seen.count > Self.mostNames ? names + ",…" : names)
        }
        let wanted = request.notification.attachments
        var metadata = Logger.Metadata(minimumCapacity: 24)
        metadata["id"] = .string(identifier)
        metadata["outcome"] = .string(outcome.rawValue)
        metadata["margin_ms"] = .string(String(margin.milliseconds))
        metadata["bytes"] = .string(String(attachments.reduce(0) { $0 + $1.report.byteCount }))
        metadata["unchanged"] = unchangedReason.map { "\($0)" }
        for timing in timings { metadata[timing.stage + "_ms"] = .string(String(timing.milliseconds)) }
        metadata["dialect"] = names(wanted.map(\.dialect))
        metadata["profile"] = names(request.profiles.map(\.profile.name))
        metadata["source_host"] = names(sourceHosts.map { $0 ?? "none" })
        metadata["rung"] = names(attachments.map(\.report.rung.rawValue))
        metadata["reason"] = names(failures.map(\.failure.reason.rawValue))
        metadata["error"] = failures.first.map { "\($0.failure.message)" }
        return metadata
    }

    // MARK: Traces

    /// The attributes of the span of the request or job.
    fileprivate var spanAttributes: SpanAttributes {
        var attributes: SpanAttributes = [
            "attachd.notification.id": .text(identifier), "attachd.outcome": .text(outcome.rawValue),
            "attachd.margin_ms": .number(margin.milliseconds),
        ]
        for timing in timings { attributes["attachd.\(timing.stage)_ms"] = .number(timing.milliseconds) }
        attributes["attachd.reason"] = failures.first.map { .text($0.failure.reason.rawValue) }
        return attributes
    }
}

extension Activity {
    fileprivate var recorded: RecordedSpan? { span as? RecordedSpan }
}

extension RecordedSpan {
    fileprivate func fail(_ failure: AttachmentFailure) {
        if failure.reason != .cancelled { fail(failure.reason.rawValue, failure.message) }
    }

    fileprivate func add(_ progress: ProgressEvent) {
        switch progress {
        case .head(let head):
            add(["http.response.status_code": .number(head.status)])
            var attributes: SpanAttributes = ["http.response.status_code": .text("\(head.status)")]
            attributes["attachd.connect_ms"] = head.connectTime.map { .number($0.milliseconds) }
            attributes["attachd.first_byte_ms"] = head.answerTime.map { .number($0.milliseconds) }
            add(event: "answer", attributes)
        case .missing(let failure): add(event: "missing", ["attachd.reason": .text(failure.reason.rawValue)])
        case .decoding:
            add(["attachd.waited_ms": .number(age.milliseconds)])
            add(event: "decoder started")
        case .output(let rung):
            let name = SpanValue.text(rung.report.rung.rawValue)
            add(["attachd.rung": name])
            add(event: "output", ["attachd.rung": name, "attachd.bytes": .number(rung.report.byteCount)])
        case .recognized, .described, .fetched, .earlyOutput, .thumbnail, .converted, .downloaded, .failed: break
        }
    }
}
