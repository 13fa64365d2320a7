import Events
import Logging
package import Storage

/// The log of attachments that could not be stored.
package struct StoreLog: Instrument {
    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: StoreEvent) {
        switch event {
        case .failed(isFull: true):
            log.warn("An attachment was not stored: the disk or its quota is full.", ["reason": "storeFull"])
        case .failed(isFull: false): log.warn("An attachment was not stored.", ["reason": "storeFailed"])
        case .stored, .removed: break
        }
    }
}
