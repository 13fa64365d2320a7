import Base
import DecoderWire
package import Jobs
package import Logging
import Media
import Processing

/// The observer of the worker, and of the state of its queue.
package struct WorkerObserver: EventRecorder {
    private let answered = Counter(
        "attachd_jobs_total",
        "Jobs answered, by status.",
        by: "status",
        with: JobReply.Status.allCases.map(\.rawValue),
    )
    private let tenantJobs = Counter(
        "attachd_tenant_jobs_total",
        "Jobs answered, by tenant of the configuration and status. All other tenants together are \"other\".",
        by: "status",
        "tenant",
    )
    private let duration = Histogram("attachd_job_seconds", "Time from enqueueing a job to its answer.")
    private let margin = Histogram(
        "attachd_job_margin_seconds",
        "Time left until a job's deadline when it was answered; 0 for late jobs.",
    )
    private let late = Counter("attachd_jobs_late_total", "Jobs answered after their deadline.")
    private let reclaimed = Counter(
        "attachd_jobs_reclaimed_total",
        "Jobs reclaimed from workers that died or hung.",
    )
    private let stale = Counter(
        "attachd_jobs_stale_total",
        "Answers refused because another worker had already answered the job or leased it.",
    )
    private let lost = Counter(
        "attachd_jobs_lost_total",
        "Leases lost while this worker processed their jobs.",
    )
    private let deadLettered = Counter("attachd_jobs_dead_lettered_total", "Jobs moved to the dead letters.")
    private let returned = Counter(
        "attachd_jobs_returned_total",
        "Jobs returned to the queue when the worker stopped.",
    )
    private let callbacks = Counter(
        "attachd_callbacks_total",
        "Attempts to post an answer, by outcome. An attempt is postponed if its server has too many callbacks or its circuit breaker is open.",
        by: "outcome",
        with: CallbackOutcome.allCases.map(\.rawValue),
    )
    private let failures = Counter(
        "attachd_queue_failures_total",
        "Calls to the queue that failed and were repeated, by reason.",
        by: "reason",
    )
    private let available = Gauge("attachd_queue_available", "1 while the queue answers, otherwise 0.")
    private let oldest = Gauge(
        "attachd_queue_oldest_waiting_seconds",
        "Time for which the job at the front of the queue has waited.",
    )
    private let jobs = Gauge(
        "attachd_queue_jobs",
        "Jobs in the queue, by state.",
        by: "state",
        with: ["waiting", "running"],
    )
    private let deadLetters = Gauge("attachd_queue_dead_letters", "Dead letters: jobs that killed their workers.")
    private let unposted = Gauge("attachd_queue_callbacks", "Answers waiting to be posted to their callbacks.")
    private let problems = Gauge(
        "attachd_queue_problem",
        "1 while the queue has a problem, by kind.",
        by: "kind",
    )
    private let needed = Gauge(
        "attachd_workers_needed",
        "Workers that the queue needs to finish its jobs in time, as at /v1/scale.",
    )
    private let workers = Gauge("attachd_workers_running", "Workers of the queue that reported recently.")
    private let cost = Gauge(
        "attachd_worker_job_seconds",
        "Time that one worker needs for one job, from which the number of workers is calculated.",
    )
    private let log: WarningLog
    /// The tenants with metrics of their own: only those of the configuration, so that their number is bounded.
    private let tenants: Set<String>
    private let tracer: SpanTracer?

    init(log: WarningLog, tenants: Set<String>, tracer: SpanTracer?) {
        self.log = log
        self.tenants = tenants
        self.tracer = tracer
    }

    package func record(_ event: WorkerEvent) {
        switch event {
        case .answered(let name, let status, let duration, let margin):
            answered.add(status.rawValue)
            if !tenants.isEmpty {
                tenantJobs.add(status.rawValue, tenants.contains(name.tenant) ? name.tenant : "other")
            }
            self.duration.record(duration)
            self.margin.record(max(.zero, margin))
            if margin < .zero { late.add() }
            if status == .failed {
                log.warn("A job is not valid. Its answer has the reason.", ["job_id": "\(name.id)"])
            }
        case .stale(let job):
            stale.add()
            log.warn("The lease of a job was lost, so its answer was dropped.", ["job_id": "\(job.id)"])
        case .lost(let count):
            lost.add(by: count)
            log.warn("Leases of jobs were lost. Another worker does these jobs again.", ["jobs": "\(count)"])
        case .reclaimed(let count):
            reclaimed.add(by: count)
            log.warn("Jobs were taken over from a worker that died or hangs.", level: .notice, ["jobs": "\(count)"])
        case .deadLettered(let job):
            deadLettered.add()
            log.warn("A job was given up and became a dead letter.", ["job_id": "\(job.id)"])
        case .gaveBack(let count): returned.add(by: count)
        case .callback(let outcome): callbacks.add(outcome.rawValue)
        // These two are counted already, as failed and refused callbacks.
        case .callbackFailed(let job, let tries, let result):
            // The first, second, fourth and eighth failure: an operator learns of it at once, and of each callback in few
            // lines.
            guard tries & (tries - 1) == 0 else { break }
            log.warn("A callback failed and is tried again.", Self.metadata(job, tries, result))
        case .callbackGivenUp(let job, let tries, let result):
            log.warn("A callback failed for good and is not tried again.", Self.metadata(job, tries, result))
        case .queueFailed(let error):
            failures.add(error.reason.rawValue)
            log.warn("The queue failed. It is tried again.", ["reason": "\(error)"])
        case .work(let activity, .begins(let job, let waited)):
            let start = UnixTime.now
            guard let span = begin(activity, "process job", job, from: start) else { break }
            tracer?.span("queue", below: span.context, from: start - max(.zero, waited)).end(at: start)
        case .work(let activity, .declines(let job)): _ = begin(activity, "answer job without work", job, from: .now)
        case .work(let activity, .answered(let status)):
            (activity.span as? RecordedSpan)?.add(["attachd.status": .text(status.rawValue)])
        case .work(let activity, .posts(let callback)):
            activity.span = tracer?.span("callback", .client, below: callback.trace.flatMap(SpanContext.init))
        case .work(let activity, .posted(let result)): (activity.span as? RecordedSpan)?.add(result)
        }
    }

    /// Begins the span of a job. It belongs to the producer's trace, and has a link to the producer.
    private func begin(_ activity: Activity, _ name: String, _ job: LeasedJob, from start: UnixTime) -> RecordedSpan? {
        guard let tracer else { return nil }
        let producer = job.job.trace.flatMap(SpanContext.init)
        // The attributes of messages in OpenTelemetry's semantic conventions.
        let attributes: SpanAttributes = [
            "messaging.operation.name": "process", "messaging.destination.name": "jobs",
            "messaging.message.id": .text(job.job.id), "attachd.priority": .text("\(job.job.priority)"),
        ]
        let span = tracer.span(name, .consumer, below: producer, from: start, attributes)
        if let producer { span.add(link: producer) }
        activity.span = span
        return span
    }

    private static func metadata(_ job: JobName, _ tries: Int, _ result: CallbackResult) -> Logger.Metadata {
        [
            "job_id": "\(job.id)", "callback_host": "\(result.host ?? "none")", "tries": "\(tries)",
            "reason": "\(result.reason ?? "unknown")",
        ]
    }

    // MARK: State

    /// Records the state of the queue; `nil` while the queue does not answer.
    package func set(_ status: QueueStatus?) {
        available.set(status == nil ? 0 : 1)
        guard let status else { return }
        oldest.set((status.oldestWaiting ?? .zero) / .seconds(1))
        jobs.set(status.waiting, "waiting")
        jobs.set(status.running, "running")
        deadLetters.set(status.dead)
        unposted.set(status.callbacks)
    }

    /// Records the number of workers that the queue needs; `nil` while the queue does not answer.
    package func set(_ scaling: ScalingAnswer?) {
        guard let scaling else { return }
        needed.set(scaling.workers)
        workers.set(scaling.load.workers.count)
        cost.set(1 / scaling.jobsPerSecond)
    }

    package func set(_ warnings: Set<QueueWarning>) {
        for kind in QueueWarning.allCases { problems.set(warnings.contains(kind) ? 1 : 0, kind.rawValue) }
    }
}

extension RecordedSpan {
    fileprivate func add(_ result: CallbackResult) {
        let outcome = result.outcome.rawValue
        add(["server.address": .text(result.host ?? "none"), "attachd.outcome": .text(outcome)])
        // A postponed callback was not attempted.
        if [.failed, .refused].contains(result.outcome) { fail(outcome, result.reason ?? "unknown") }
    }
}

// MARK: - The queue

/// The observer of the queue's problems. What can be counted is set when the metrics are read.
package struct QueueObserver: EventRecorder {
    private let log: Logger

    package init(log: Logger) { self.log = log }

    package func record(_ event: QueueEvent) {
        switch event {
        case .warningsChanged(let warnings):
            for warning in warnings { log.error("The queue has a problem.", metadata: ["reason": "\(warning)"]) }
            if warnings.isEmpty { log.notice("The queue works again.") }
        case .invalidEntry(let entry):
            log.warning(
                "An entry of the queue is not a job. It was answered as failed.",
                metadata: ["entry": "\(entry)"]
            )
        case .mayLoseJobs(let reason): log.warning("Jobs may be lost.", metadata: ["reason": "\(reason)"])
        case .passwordWithheld(let reason):
            log.error("The queue's password was not sent.", metadata: ["reason": "\(reason)"])
        }
    }
}

// MARK: - Deletions

/// The observer of what this worker knows of deletions in its fleet.
package struct FleetObserver: EventRecorder {
    let log: WarningLog

    package func record(_ event: FleetEvent) {
        switch event {
        case .cutOff(let error):
            log.warn(
                "attachd cannot ask what the fleet has taken back. Until it can, it makes each attachment anew, and serves no earlier file.",
                ["reason": "\(error)"],
            )
        case .takingBackFailed(let error):
            log.warn(
                "A deletion of the fleet could not be carried out here. It is tried again.",
                ["reason": "\(error)"]
            )
        }
    }
}
