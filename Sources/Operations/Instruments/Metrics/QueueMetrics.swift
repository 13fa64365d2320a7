import Events
package import Jobs
import Metrics
import Telemetry
package import Worker

/// The metrics of jobs: events that the worker reports, and the state of the queue.
package struct QueueMetrics: Instrument {
    static let help = [
        "attachd_queue_oldest_waiting_seconds": "Time that the job at the front of the queue has waited.",
        "attachd_queue_available": "1 while the queue answers, otherwise 0.",
        "attachd_queue_jobs": "Jobs in the queue, by state.",
        "attachd_workers_needed": "Workers that the queue needs so that its jobs are done in time, as at /v1/scale.",
        "attachd_workers_running": "Workers of the queue that reported lately.",
        "attachd_worker_job_seconds": "Time of one worker for one job, by which the number of workers is planned.",
        "attachd_queue_dead_letters": "Jobs that killed their workers.",
        "attachd_queue_callbacks": "Answers that are still to be posted.",
        "attachd_jobs_total": "Jobs answered, by status.",
        "attachd_tenant_jobs_total":
            "Jobs answered, by tenant of the configuration and status. All other tenants together are \"other\".",
        "attachd_job_seconds": "Time from enqueueing a job to its answer.",
        "attachd_job_margin_seconds":
            "Time left until a job's deadline when it was answered; 0 for late jobs.",
        "attachd_jobs_late_total": "Jobs answered after their deadline.",
        "attachd_jobs_reclaimed_total": "Jobs reclaimed from workers that died or hang.",
        "attachd_jobs_stale_total": "Answers refused because another worker had already answered the job or leased it.",
        "attachd_jobs_lost_total": "Leases lost while this worker processed their jobs.",
        "attachd_jobs_dead_lettered_total": "Jobs moved to the dead letters.",
        "attachd_jobs_returned_total": "Jobs given back when the worker stopped.",
        "attachd_callbacks_total":
            "Attempts to post an answer, by outcome. An attempt is postponed if its server has too many callbacks or its circuit breaker is open.",
        "attachd_queue_problem": "1 while the queue's file has a problem, by kind.",
        "attachd_queue_failures_total": "Calls to the queue that failed and were repeated, by reason.",
    ]

    private let registry: PrometheusRegistry
    /// The tenants with metrics of their own: only those of the configuration, so that their number is bounded.
    private let tenants: Set<String>
    private let available: Meter
    private let oldest: Meter
    private let waiting: Meter
    private let running: Meter
    private let dead: Meter
    private let callbacks: Meter
    private let needed: Meter
    private let workers: Meter
    private let cost: Meter
    private let duration: Metrics.Timer
    private let margin: Metrics.Timer

    init(_ registry: PrometheusRegistry, tenants: Set<String>) {
        self.registry = registry
        self.tenants = tenants
        available = registry.meter("attachd_queue_available")
        oldest = registry.meter("attachd_queue_oldest_waiting_seconds")
        waiting = registry.meter("attachd_queue_jobs", [("state", "waiting")])
        running = registry.meter("attachd_queue_jobs", [("state", "running")])
        dead = registry.meter("attachd_queue_dead_letters")
        callbacks = registry.meter("attachd_queue_callbacks")
        needed = registry.meter("attachd_workers_needed")
        workers = registry.meter("attachd_workers_running")
        cost = registry.meter("attachd_worker_job_seconds")
        duration = registry.timer("attachd_job")
        margin = registry.timer("attachd_job_margin")
        startCounters()
    }

    /// Creates the counters: a rule that watches a counter's increase misses the first step of one that did not exist
    /// before.
    private func startCounters() {
        for name in ["late", "reclaimed", "stale", "lost", "dead_lettered", "returned"] {
            increment("attachd_jobs_\(name)", by: 0)
        }
        for status in JobReply.Status.allCases { increment("attachd_jobs", [("status", status.rawValue)], by: 0) }
        for outcome in CallbackOutcome.allCases {
            increment("attachd_callbacks", [("outcome", outcome.rawValue)], by: 0)
        }
    }

    /// Records the state of the queue; `nil` while the queue does not answer.
    package func set(_ status: QueueStatus?) {
        available.set(status == nil ? 0 : 1)
        guard let status else { return }
        oldest.set((status.oldestWaiting ?? .zero) / .seconds(1))
        waiting.set(status.waiting)
        running.set(status.running)
        dead.set(status.dead)
        callbacks.set(status.callbacks)
    }

    /// Records the number of workers that the queue needs; `nil` while the queue does not answer.
    package func set(_ scaling: ScalingAnswer?) {
        guard let scaling else { return }
        needed.set(scaling.workers)
        workers.set(scaling.load.workers.count)
        cost.set(1 / scaling.jobsPerSecond)
    }

    package func set(_ warnings: Set<QueueWarning>) {
        for kind in QueueWarning.allCases {
            registry.meter("attachd_queue_problem", [("kind", kind.rawValue)])
                .set(warnings.contains(kind) ? 1 : 0)
        }
    }

    package func record(_ event: WorkerEvent) {
        switch event {
        case .answered(let name, let status, let duration, let margin):
            increment("attachd_jobs", [("status", status.rawValue)])
            if !tenants.isEmpty {
                let tenant = tenants.contains(name.tenant) ? name.tenant : "other"
                increment("attachd_tenant_jobs", [("tenant", tenant), ("status", status.rawValue)])
            }
            self.duration.record(duration: duration)
            self.margin.record(duration: max(.zero, margin))
            if margin < .zero { increment("attachd_jobs_late") }
        case .stale: increment("attachd_jobs_stale")
        case .lost(let count): increment("attachd_jobs_lost", by: count)
        case .reclaimed(let count): increment("attachd_jobs_reclaimed", by: count)
        case .deadLettered: increment("attachd_jobs_dead_lettered")
        case .gaveBack(let count): increment("attachd_jobs_returned", by: count)
        case .callback(let outcome): increment("attachd_callbacks", [("outcome", outcome.rawValue)])
        // It is counted already, as a refused callback.
        case .callbackFailed, .callbackGivenUp: break
        case .queueFailed(let error): increment("attachd_queue_failures", [("reason", error.reason.rawValue)])
        }
    }

    private func increment(_ label: String, _ dimensions: [(String, String)] = [], by count: Int = 1) {
        registry.counter(label, dimensions).increment(by: count)
    }
}
