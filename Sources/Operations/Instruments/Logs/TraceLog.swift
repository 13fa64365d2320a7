import Events
import Logging
package import Traces

/// The log of spans that were not delivered.
package struct TraceLog: Instrument {
    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: SpanExportEvent) {
        switch event {
        case .exported: break
        case .dropped(let count, .queueFull):
            log.warn("Spans were dropped because the collector is too slow.", ["spans": "\(count)"])
        case .dropped(let count, .collector(let reason)):
            log.warn("The collector did not take spans.", ["spans": "\(count)", "reason": "\(reason)"])
        }
    }
}
