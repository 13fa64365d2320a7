import Events
import Logging
package import Publishing

/// The log of the bucket's failures.
package struct PublishLog: Instrument {
    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: PublishEvent) {
        switch event {
        case .failed: log.warn("A file was not published.", ["reason": "publishFailed"])
        case .suspended(let reason):
            log.warn("The bucket failed too often and is left alone for a while.", ["reason": "\(reason)"])
        case .published, .reused, .retried: break
        }
    }
}
