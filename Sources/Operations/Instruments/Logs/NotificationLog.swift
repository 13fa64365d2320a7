import Events
import Foundation
package import Logging
import Media
import Payloads
package import Processing
import Synchronization
import Timing

/// The log of finished notifications: one line each, or for one of many.
package final class NotificationLog: Instrument {
    /// The most names in one value: a payload may have many attachments.
    private static let mostNames = 4

    private let logger: Logger
    private let sample: Int
    private let count = Atomic(0)

    /// Creates a log of one of `sample` notifications.
    package init(_ logger: Logger, sample: Int) {
        self.logger = logger
        self.sample = sample
    }

    package func record(_ event: ProcessingEvent) {
        switch event {
        case .attachment: break
        case .answered(let result):
            guard count.wrappingAdd(1, ordering: .relaxed).oldValue % sample == 0 else { return }
            logger.info("Notification finished.", metadata: result.logMetadata(mostNames: Self.mostNames))
        }
    }
}

extension ProcessingResult {
    /// The values of a log line. They have neither paths nor queries of URLs, which may contain secrets.
    fileprivate func logMetadata(mostNames: Int) -> Logger.Metadata {
        func names(_ all: [String]) -> Logger.MetadataValue? {
            var seen: [String] = []
            for name in all where !seen.contains(name) { seen.append(name) }
            guard !seen.isEmpty else { return nil }
            return "\(seen.prefix(mostNames).joined(separator: ","))\(seen.count > mostNames ? ",…" : "")"
        }
        let wanted = request.notification.attachments
        var metadata: Logger.Metadata = [
            "id": "\(identifier)", "outcome": "\(outcome.rawValue)", "margin_ms": "\(margin.milliseconds)",
            "bytes": "\(attachments.reduce(0) { $0 + $1.report.byteCount })",
        ]
        for timing in timings { metadata["\(timing.stage)_ms"] = "\(timing.milliseconds)" }
        metadata["dialect"] = names(wanted.map(\.dialect))
        metadata["profile"] = names(request.profiles.map(\.profile.name))
        metadata["source_host"] = names(wanted.map { URLComponents(string: $0.url)?.host ?? "none" })
        metadata["rung"] = names(attachments.map(\.report.rung.rawValue))
        metadata["reason"] = names(failures.map(\.failure.reason.rawValue))
        metadata["error"] = failures.first.map { "\($0.failure.message)" }
        return metadata
    }
}
