import Events
package import HTTPClient
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
        case .lackedCredentials(let cause):
            log.warn("The credentials for a source cannot be read.", ["cause": "\(cause)"])
        case .refusedAccess(let rule, let status):
            log.warn(
                "An origin refused the key of a rule in \"sources\". Renew the key, or give it the right to read.",
                ["rule": "\(rule)", "status": "\(status)"],
            )
        case .opened(let host):
            log.warn("An origin failed too often and is left alone for a while.", ["source_host": "\(host)"])
        case .cutOff(let host):
            log.warn(
                "A site kept its thread busy without sending data. Its connections were cut off, and it is left alone for a while.",
                ["source_host": "\(host)"],
            )
        case .waited, .refusedFailing, .refusedPaused, .refusedLate, .preemptedSlow, .preemptedForShare, .retried: break
        }
    }
}
