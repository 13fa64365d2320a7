package import Media
package import Payloads

extension LoadAnswer {
    /// An answer that is a result's JSON.
    package init(result: JSONValue, sent: Instant, answered: Instant) {
        guard let name = result["outcome"]?.text, let outcome = Outcome(rawValue: name), outcome.isAnswer else {
            self.init(.failed, sent: sent, answered: answered, reason: "the answer is no result")
            return
        }
        self.init(outcome, sent: sent, answered: answered)
        if case .object(let timings) = result["timings"] {
            for timing in timings {
                if let milliseconds = timing.value.double { stages[timing.key] = .milliseconds(milliseconds) }
            }
        }
        margin = result["margin"]?.double.map { .milliseconds($0) }
        if case .array(let attachments) = result["attachments"] {
            for attachment in attachments {
                delivered += Int(attachment["bytes"]?.double ?? 0)
                fetched += Int(attachment["source"]?["fetched"]?.double ?? 0)
            }
        }
    }
}
