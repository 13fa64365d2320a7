import Files

/// The outcome of a run, as one process tells it to another.
struct Report {
    var seed: UInt64
    /// The rule that the run broke, or the way in which its process ended.
    var rule: String?
    var message = ""
    var digest = ""
    var stepCount = 0
    var lineCount = 0

    init(_ seed: UInt64, _ outcome: Run.Outcome) {
        self.seed = seed
        rule = outcome.broken?.rule.rawValue
        message = outcome.broken?.message ?? ""
        digest = Hexadecimal.text(outcome.digest)
        stepCount = outcome.stepCount
        lineCount = outcome.lineCount
    }

    /// Creates the report on a process that ended without one.
    init(_ seed: UInt64, ended reason: String) {
        self.seed = seed
        (rule, message) = ("process", reason)
    }

    var text: String {
        let message = message.replacing("\n", with: " ")
        return [rule ?? "", message, digest, "\(stepCount)", "\(lineCount)"].joined(separator: "\n")
    }

    init?(_ seed: UInt64, text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 5, let steps = Int(lines[3]), let count = Int(lines[4]) else { return nil }
        self.seed = seed
        rule = lines[0].isEmpty ? nil : lines[0]
        (message, digest, stepCount, lineCount) = (lines[1], lines[2], steps, count)
    }
}
