import Events
package import Jobs
package import Logging

/// The log of the queue's problems.
package struct QueueLog: Instrument {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func record(_ event: QueueEvent) {
        switch event {
        case .warningsChanged(let warnings):
            for warning in warnings {
                logger.error("The queue has a problem.", metadata: ["reason": "\(warning)"])
            }
            if warnings.isEmpty { logger.notice("The queue works again.") }
        case .mayLoseJobs(let reason): logger.warning("Jobs may be lost.", metadata: ["reason": "\(reason)"])
        case .passwordWithheld(let reason):
            logger.error("The queue's password was not sent.", metadata: ["reason": "\(reason)"])
        }
    }
}
