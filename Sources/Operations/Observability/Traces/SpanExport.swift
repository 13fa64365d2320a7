package import Base
import Synchronization

/// A bounded queue of finished spans that a task hands to the collector in batches.
///
/// Code that ends a span never waits: when the queue is full, because the collector is slow or hangs, spans are dropped
/// and counted.
package final class SpanExport: Sendable {
    private struct State {
        var spans: [FinishedSpan] = []
        /// The number dropped since the last report.
        var dropped = 0
    }

    private let exporter: any SpanExporter
    private let limits: TraceSettings.Batches
    private let time: any TimeSource
    private let recorder: any EventRecorder<SpanExportEvent>
    private let state = Mutex(State())
    private let filled = WakeUp()

    /// The most attempts for one batch. The spans that end meanwhile wait in the queue.
    private static let attemptLimit = 4
    /// The time that the last spans get when the process ends.
    private static let lastTime = Duration.seconds(2)

    package init(
        _ exporter: any SpanExporter,
        limits: TraceSettings.Batches,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<SpanExportEvent> = NoRecorder<SpanExportEvent>(),
    ) {
        self.exporter = exporter
        self.limits = limits
        self.time = time
        self.recorder = recorder
    }

    package func add(_ span: FinishedSpan) {
        let isBatch = state.withLock { state in
            guard state.spans.count < limits.queueSize else {
                state.dropped += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count == limits.batchSize
        }
        if isBatch { filled.wake() }
    }

    /// Exports spans until the task is cancelled: whenever a batch is full, and at least at intervals.
    package func run() async {
        while !Task.isCancelled {
            try? await filled.wait(until: time.now + limits.interval, on: time)
            while !Task.isCancelled, let batch = take() {
                await export(batch)
                // Spans that do not fill another batch wait for more.
                if state.withLock({ $0.spans.count < limits.batchSize }) { break }
            }
        }
    }

    /// Exports the remaining spans, without retries, in a time that delays the shutdown only briefly.
    package func finish() async {
        let end = time.now + Self.lastTime
        while time.now < end, let batch = take() {
            report(await exporter.export(batch, until: min(end, time.now + limits.timeout)), batch.count)
        }
        while let batch = take() { recorder.record(.dropped(batch.count, .collector("The process ended."))) }
    }

    private func take() -> [FinishedSpan]? {
        let (batch, dropped) = state.withLock { state in
            let batch = Array(state.spans.prefix(limits.batchSize))
            state.spans.removeFirst(batch.count)
            defer { state.dropped = 0 }
            return (batch, state.dropped)
        }
        if dropped > 0 { recorder.record(.dropped(dropped, .queueFull)) }
        return batch.isEmpty ? nil : batch
    }

    private func export(_ batch: [FinishedSpan]) async {
        var backOff = BackOff(first: .seconds(1), longest: .seconds(8))
        while true {
            let outcome = await exporter.export(batch, until: time.now + limits.timeout)
            guard case .failed = outcome else { return report(outcome, batch.count) }
            let delay = backOff.next()
            let isLast = backOff.failures == Self.attemptLimit
            if !isLast { try? await time.sleep(for: delay) }
            // The process ends: `finish` makes the last attempt.
            if Task.isCancelled { return state.withLock { $0.spans.insert(contentsOf: batch, at: 0) } }
            if isLast { return report(outcome, batch.count) }
        }
    }

    private func report(_ outcome: SpanExportOutcome, _ count: Int) {
        switch outcome {
        case .taken(let claimed):
            let refused = min(claimed, count)
            recorder.record(.exported(count - refused))
            if refused > 0 { recorder.record(.dropped(refused, .collector("It refused some spans."))) }
        case .failed(let reason), .refused(let reason): recorder.record(.dropped(count, .collector(reason)))
        }
    }
}

// MARK: - Exporters

/// A client that hands spans to a collector. `App` makes one of libcurl.
package protocol SpanExporter: Sendable {
    func export(_ spans: [FinishedSpan], until deadline: Instant) async -> SpanExportOutcome
}

package enum SpanExportOutcome: Sendable, Equatable {
    /// The collector accepted all spans except this number.
    case taken(refused: Int)
    /// The collector may take them later.
    case failed(String)
    /// The collector will not take them.
    case refused(String)
}

/// An event of the export.
package enum SpanExportEvent: Sendable, Equatable {
    case exported(Int)
    case dropped(Int, SpanLoss)
}

/// The reason why spans were not delivered.
package enum SpanLoss: Sendable, Equatable {
    /// Spans ended faster than the collector accepted them.
    case queueFull
    /// The collector failed or refused, last for this reason.
    case collector(String)
}
