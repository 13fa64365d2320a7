import Media
package import Timing

/// The answer to one notification.
package struct LoadAnswer: Sendable {
    package enum Outcome: String, Sendable, CaseIterable, Codable {
        case complete, degraded, original
        /// Status 429 or 503, or a full queue: a sender would send the notification unchanged.
        case refused
        /// Any other status, or no connection.
        case failed
        /// No answer arrived in time.
        case unanswered

        /// A Boolean value that indicates whether the notification got a content.
        package var isAnswer: Bool { [.complete, .degraded, .original].contains(self) }
        /// A Boolean value that indicates whether the notification got an attachment.
        package var isUseful: Bool { self == .complete || self == .degraded }
    }

    package var outcome: Outcome
    /// The time at which the notification was really sent.
    package var sent: Instant
    package var answered: Instant
    /// The durations that the target reports, by stage, with their sum as `total`.
    package var stages: [String: Duration] = [:]
    /// The time left until the deadline, as the target reports it.
    package var margin: Duration?
    /// The bytes of the sources and of the attachments.
    package var fetched = 0
    package var delivered = 0
    /// The reason why there is no answer.
    package var reason: String?

    package init(_ outcome: Outcome, sent: Instant, answered: Instant, reason: String? = nil) {
        self.outcome = outcome
        self.sent = sent
        self.answered = answered
        self.reason = reason
    }
}

/// A target of the load, which takes notifications and answers them.
package protocol LoadTarget: Sendable {
    /// Sends a notification at once. Gives up at `end` and returns `unanswered`.
    func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer
}
