package import Jobs
import Media
package import Timing

/// Posts answers to the URLs that producers named.
package protocol CallbackPoster: Sendable {
    func post(_ callback: CallbackRequest) async -> CallbackResult
}

/// What came of one POST, and why.
package struct CallbackResult: Sendable, Equatable {
    package var outcome: CallbackOutcome
    /// For the operator; `nil` if it was received. It never quotes the URL, which may be secret.
    package var reason: String?
    /// The server's host, if the URL has one.
    package var host: String?
    /// How long to wait before the next try; `nil` if the policy says so.
    package var pause: Duration?

    package init(_ outcome: CallbackOutcome, reason: String? = nil, host: String? = nil, pause: Duration? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.host = host
        self.pause = pause
    }
}

/// One POST.
package struct CallbackRequest: Sendable, Equatable {
    package var url: String
    /// Names and values, beside what every POST has.
    package var headers: [String: String]
    package var body: [UInt8]
    /// When it has failed.
    package var deadline: Instant

    package init(_ callback: LeasedCallback, deadline: Instant) {
        url = callback.url
        headers = [
            "Attachd-Job": callback.name.id,
            "Attachd-Status": callback.reply.status.rawValue,
            "Attachd-Attempt": String(callback.attempt),
        ]
        headers["traceparent"] = callback.trace?.parent
        headers["tracestate"] = callback.trace?.state
        body = callback.reply.body
        self.deadline = deadline
    }
}

package enum CallbackOutcome: String, Sendable, CaseIterable {
    case received
    /// It may be received later.
    case failed
    /// It never will: the URL is none, its address is refused, or who is there wants no more.
    case refused
    /// Its server has enough to do now; no try was made.
    case postponed
}
