package import Downloads
import Events
import Logging
import Media

/// The log of requests to origins, for what the sender of a notification must not learn, and of origins that fail.
package struct OriginLog: Instrument {
    private let log: WarningLog

    package init(_ log: WarningLog) { self.log = log }

    package func record(_ event: OriginEvent) {
        switch event {
        case .refusedHost(let cause):
            log.warn(
                "The host's address is not allowed, so the download was refused.",
                level: .info,
                ["reason": "refusedAddress", "source_host": "\(cause.host)", "cause": "\(cause)"],
            )
        case .opened(let host):
            log.warn("An origin failed too often and is left alone for a while.", ["source_host": "\(host)"])
        case .waited, .refusedFailing, .refusedPaused, .refusedLate, .preemptedSlow, .preemptedForShare, .retried: break
        }
    }
}
