package import Jobs
package import Media

/// Posts answers to the URLs that producers named.
package protocol CallbackPoster: Sendable {
    func post(_ callback: CallbackRequest) async -> CallbackOutcome
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
}
