import Base

extension LoadResult {
    /// The result as text for a terminal.
    package var text: String {
        var lines = ["\(target): \(arrivals.rawValue) arrivals, deadline \(deadline.asMilliseconds), seed \(seed)"]
        if let capacity {
            lines.append(
                "capacity: \(capacity.perSecond.brief) useful answers a second with \(capacity.clients) clients"
            )
        }
        if !uniqueSources { lines.append("Notifications shared source URLs: work for one may have served others.") }
        for step in steps { lines += ["", step.line] + step.details }
        if !judgements.isEmpty { lines += [""] + judgements.map(\.line) }
        if !changes.isEmpty { lines += [""] + changes.map(\.line) }
        return lines.joined(separator: "\n")
    }
}

extension StepResult {
    fileprivate var details: [String] {
        var lines: [String] = []
        if !meanShares.isEmpty {
            lines.append(
                "  mean: " + meanShares.map { "\($0.stage) \($0.milliseconds.asMilliseconds)" }.joined(separator: ", ")
            )
        }
        if let margin {
            lines.append("  margin: least \(margin.min.asMilliseconds), p1 \(margin.text(at: 1))")
        }
        if fetchedBytes > 0 {
            lines.append("  fetched \(Double(fetchedBytes).asBytes), delivered \(Double(deliveredBytes).asBytes)")
        }
        if let rss { lines.append("  resident: \(Double(rss).asBytes) at most") }
        lines.append(
            "  generator: p50 \(generator.lateness.text(at: 50)), p99.9 "
                + "\(generator.lateness.text(at: 99.9)) late; \(generator.late) of \(sent) by more than 1 ms"
        )
        if !reasons.isEmpty {
            lines.append(
                "  no answer: "
                    + reasons.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
            )
        }
        return lines
    }
}

extension Judgement {
    package var line: String { "\(verdict == .met ? "kept" : verdict.rawValue)  \(budget) at \(step): \(message)" }
}

extension Change {
    package var line: String { "\(verdict.rawValue)  \(figure) at \(step): \(message)" }
}

extension StepResult {
    /// The step as one line of text.
    package var line: String {
        let counts = LoadAnswer.Outcome.allCases.filter { count($0) > 0 }.map { "\(count($0)) \($0.rawValue)" }
        let times = [50.0, 99, 99.9].map { "p\($0.short) \(latency.text(at: $0))" }
        return "\(label) (\(rate.brief)/s for \(seconds.short) s): \(counts.joined(separator: ", ")), \(late) late; "
            + "\(times.joined(separator: ", ")); \(goodput.brief) useful a second"
    }
}
