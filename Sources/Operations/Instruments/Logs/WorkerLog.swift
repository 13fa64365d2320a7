import Events
import Jobs
package import Logging
package import Worker

/// The log of jobs: the failures that an operator should know of.
package struct WorkerLog: Instrument {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func record(_ event: WorkerEvent) {
        switch event {
        case .queueFailed(let error):
            logger.warning("The queue failed. It is tried again.", metadata: ["reason": "\(error)"])
        case .callbackGivenUp(let job, let tries, let result):
            logger.warning(
                "A callback failed for good and is not tried again.",
                metadata: [
                    "job_id": "\(job.id)", "callback_host": "\(result.host ?? "none")", "tries": "\(tries)",
                    "reason": "\(result.reason ?? "unknown")",
                ]
            )
        case .answered, .stale, .lost, .reclaimed, .deadLettered, .gaveBack, .callback: break
        }
    }
}
