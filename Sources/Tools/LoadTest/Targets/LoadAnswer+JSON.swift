import Media
package import Payloads
package import Timing
import Values

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
