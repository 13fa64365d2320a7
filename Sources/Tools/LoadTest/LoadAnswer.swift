import Media
package import Timing

/// What came of one notification.
package struct LoadAnswer: Sendable {
    package enum Outcome: String, Sendable, CaseIterable, Codable {
        case complete, degraded, original
        /// 429 or 503, or a full queue: send the notification as it is.
        case refused
        /// Any other status, or no connection.
        case failed
        /// Nothing came in time.
        case unanswered

        /// Whether the notification got a content.
        package var isAnswer: Bool { [.complete, .degraded, .original].contains(self) }
        /// Whether it got an attachment.
        package var isUseful: Bool { self == .complete || self == .degraded }
    }

    package var outcome: Outcome
    /// When the notification really went out.
    package var sent: Instant
    package var answered: Instant
    /// What the target says of its own time, by stage, and in all as `total`.
    package var stages: [String: Duration] = [:]
    /// What the target says was left.
    package var margin: Duration?
    /// Bytes of sources and of attachments.
    package var fetched = 0
    package var delivered = 0
    /// Of what is no answer: why.
    package var reason: String?

    package init(_ outcome: Outcome, sent: Instant, answered: Instant, reason: String? = nil) {
        self.outcome = outcome
        self.sent = sent
        self.answered = answered
        self.reason = reason
    }
}

/// What takes notifications and answers them.
package protocol LoadTarget: Sendable {
    /// Sends at once; gives up at `end`, and says `unanswered` then.
    func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer
}
