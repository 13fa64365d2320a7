import Events
import Logging
import Jobs
package import Worker

/// The log of jobs: the failures that an operator should know of.
package struct WorkerLog: Instrument {
    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: WorkerEvent) {
        switch event {
        case .queueFailed(let error):
            log.warn("The queue failed. It is tried again.", ["reason": "\(error)"])
        case .callbackFailed(let job, let tries, let result):
            // The first, second, fourth and eighth failure: an operator learns of it at once, and of each callback in few
            // lines.
            guard tries & (tries - 1) == 0 else { break }
            log.warn(
                "A callback failed and is tried again.",
                [
                    "job_id": "\(job.id)", "callback_host": "\(result.host ?? "none")", "tries": "\(tries)",
                    "reason": "\(result.reason ?? "unknown")",
                ]
            )
        case .callbackGivenUp(let job, let tries, let result):
            log.warn(
                "A callback failed for good and is not tried again.",
                [
                    "job_id": "\(job.id)", "callback_host": "\(result.host ?? "none")", "tries": "\(tries)",
                    "reason": "\(result.reason ?? "unknown")",
                ]
            )
        case .lost(let count):
            log.warn("Leases of jobs were lost. Another worker does these jobs again.", ["jobs": "\(count)"])
        case .stale(let job):
            log.warn("The lease of a job was lost, so its answer was dropped.", ["job_id": "\(job.id)"])
        case .reclaimed(let count):
            log.warn("Jobs were taken over from a worker that died or hangs.", level: .notice, ["jobs": "\(count)"])
        case .deadLettered(let job):
            log.warn("A job was given up and became a dead letter.", ["job_id": "\(job.id)"])
        case .answered, .gaveBack, .callback: break
        }
    }
}
