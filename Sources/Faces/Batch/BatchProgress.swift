import Media
import Payloads
import Values

/// How far a batch has come.
package struct BatchProgress: Sendable, Equatable {
    /// All files there are.
    package var total = 0
    package var complete = 0
    package var degraded = 0
    /// Nothing was made of them.
    package var original = 0
    /// Links, pipes, devices.
    package var skipped = 0
    /// How many of all these were done before this run.
    package var kept = 0
    /// How many of them have the content, and so the result, of another.
    package var reused = 0

    package init() {}

    package var handled: Int { complete + degraded + original + skipped }

    mutating func count(_ outcome: ManifestLine.Outcome?) {
        switch outcome {
        case .complete: complete += 1
        case .degraded: degraded += 1
        case .original: original += 1
        case .skipped, nil: skipped += 1
        }
    }

    /// One line for a person: what is done, what failed, how fast it goes and how long it will take.
    package func text(after elapsed: Duration) -> String {
        var parts = ["\(handled) of \(total)"]
        if total > 0 { parts[0] += " (\(handled * 100 / total) %)" }
        parts.append("\(complete + degraded) done, \(original) failed" + (skipped > 0 ? ", \(skipped) skipped" : ""))
        let seconds = max(0.001, Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18)
        // What an earlier run has done goes by in no time, and says nothing about the rest.
        let rate = Double(handled > kept ? handled - kept : handled) / seconds
        parts.append(rate < 100 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(clamping: rate))/s")
        if handled > 0, handled < total {
            parts.append("\(Self.clock(Double(total - handled) / rate)) left")
        }
        return parts.joined(separator: " · ")
    }

    /// What a program can read, as one line of JSON. `output` is the folder where all of it is.
    package func summary(in output: String) -> String {
        JSONValue.object([
            .init("files", .integer(total)), .init("complete", .integer(complete)),
            .init("degraded", .integer(degraded)), .init("original", .integer(original)),
            .init("skipped", .integer(skipped)), .init("kept", .integer(kept)), .init("reused", .integer(reused)),
            .init("manifest", .string("\(output)/\(Manifest.name)")),
            .init("report", .string("\(output)/\(ReportPage.name)")),
        ])
        .compactText
    }

    /// `1:05`, `2:00:09`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(clamping: min(seconds.rounded(.up), 360_000_000))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }
}
