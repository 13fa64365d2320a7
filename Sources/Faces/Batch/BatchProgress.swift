import Base
import Media
import Payloads
import Synchronization

/// The progress of a batch.
package struct BatchProgress: Sendable, Equatable {
    /// The number of all files.
    package var total = 0
    package var complete = 0
    package var degraded = 0
    /// The number of files without an output.
    package var original = 0
    /// The number of skipped links, pipes and devices.
    package var skipped = 0
    /// The number of files that an earlier run finished.
    package var kept = 0
    /// The number of files with the same content, and so the same result, as another file.
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

    /// Returns a line for display: the finished and the failed files, the rate and the remaining time.
    package func text(after elapsed: Duration) -> String {
        var parts = ["\(handled) of \(total)"]
        if total > 0 { parts[0] += " (\(handled * 100 / total) %)" }
        parts.append("\(complete + degraded) done, \(original) failed" + (skipped > 0 ? ", \(skipped) skipped" : ""))
        let seconds = max(0.001, Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18)
        // Files of an earlier run pass quickly and do not indicate the rate of the others.
        let rate = Double(handled > kept ? handled - kept : handled) / seconds
        parts.append(rate < 100 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(clamping: rate))/s")
        if handled > 0, handled < total {
            parts.append("\(Self.clock(Double(total - handled) / rate)) left")
        }
        return parts.joined(separator: " · ")
    }

    /// Returns a summary for programs, as one line of JSON. `output` is the output folder.
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

    /// Formats a time as `1:05` or `2:00:09`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(clamping: min(seconds.rounded(.up), 360_000_000))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }
}

// MARK: - Monitoring

/// The progress of a running batch, and the request to stop it.
package final class BatchMonitor: Sendable {
    private let state = Mutex(BatchProgress())
    /// The signal that stopped the batch, 0 if something else did, or -1 while it runs.
    private let stopSignal = Atomic<Int32>(-1)

    package init() {}

    package var progress: BatchProgress { state.withLock(\.self) }

    /// Stops beginning files, because of `signal` if there was one. Files in progress finish.
    package func stop(by signal: Int32 = 0) { stopSignal.store(signal, ordering: .relaxed) }

    /// The signal that stopped the batch, if one did.
    package var signal: Int32? {
        let signal = stopSignal.load(ordering: .relaxed)
        return signal > 0 ? signal : nil
    }

    package var isStopped: Bool { stopSignal.load(ordering: .relaxed) >= 0 }

    func update(_ change: (inout BatchProgress) -> Void) { state.withLock { change(&$0) } }
}
