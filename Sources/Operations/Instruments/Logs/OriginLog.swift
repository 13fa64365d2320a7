package import Downloads
import Events
package import Logging
import Media

/// The log of requests to origins, for what the sender of a notification must not learn.
package struct OriginLog: Instrument {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func record(_ event: OriginEvent) {
        switch event {
        case .refusedHost(let cause):
            logger.info(
                "The host's address is not allowed, so the download was refused.",
                metadata: ["reason": "refusedAddress", "source_host": "\(cause.host)", "cause": "\(cause)"],
            )
        case .waited, .refusedFailing, .refusedPaused, .refusedLate, .preemptedSlow, .preemptedForShare, .retried,
            .opened:
            break
        }
    }
}
