package import Base
import Media
package import Payloads

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

// MARK: - From JSON

extension LoadAnswer {
    /// Creates an answer from the JSON of a result.
    package init(result: JSONValue, sent: Instant, answered: Instant) {
        guard let name = result["outcome"]?.text, let outcome = Outcome(rawValue: name), outcome.isAnswer else {
            self.init(.failed, sent: sent, answered: answered, reason: "the answer is not a result")
            return
        }
        self.init(outcome, sent: sent, answered: answered)
        if case .object(let timings) = result["timings"] {
            for timing in timings where Budget.stages.contains(timing.key) {
                if let milliseconds = timing.value.double { stages[timing.key] = .milliseconds(clamping: milliseconds) }
            }
        }
        margin = result["margin"]?.double.map { .milliseconds(clamping: $0) }
        if case .array(let attachments) = result["attachments"] {
            for attachment in attachments {
                delivered = delivered.addingClamped(Int(clamping: attachment["bytes"]?.double ?? 0))
                fetched = fetched.addingClamped(Int(clamping: attachment["source"]?["fetched"]?.double ?? 0))
            }
        }
    }
}
