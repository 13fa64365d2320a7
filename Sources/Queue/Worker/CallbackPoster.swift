package import Jobs
import Media
package import Timing

/// A client that posts answers to the URLs that producers named.
package protocol CallbackPoster: Sendable {
    func post(_ callback: CallbackRequest) async -> CallbackResult
}

/// The outcome of one POST, and its reason.
package struct CallbackResult: Sendable, Equatable {
    package var outcome: CallbackOutcome
    /// The reason of a failure, for the operator. It never quotes the URL, which may be secret.
    package var reason: String?
    /// The server's host, if the URL has one.
    package var host: String?
    /// The delay before the next attempt, or `nil` if the policy decides.
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
    /// The names and values of header fields in addition to the fields of every POST.
    package var headers: [String: String]
    package var body: [UInt8]
    /// The time at which the request counts as failed.
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
    /// The request failed, and a later attempt may succeed.
    case failed
    /// No attempt can succeed: the URL is invalid, its address is not allowed, or the server refuses further posts.
    case refused
    /// The server has too many posts in flight. No attempt was made.
    case postponed
}
