import Base
import Observability
import Support
import Synchronization
import Testing

@Suite("The way of spans to the collector", .timeLimit(.minutes(10)))
struct SpanExportTests {
    private let time = TestTime()
    private let events = RecordedEvents<SpanExportEvent>()
    private let collector = ScriptedCollector()

    private func export(queue: Int = 8, batch: Int = 4) -> (SpanExport, SpanTracer) {
        var limits = TraceSettings.Batches()
        (limits.queueSize, limits.batchSize) = (queue, batch)
        let export = SpanExport(collector, limits: limits, time: time, recorder: events)
        return (export, SpanTracer { export.add($0) })
    }

    private func end(_ count: Int, _ tracer: SpanTracer) {
        for _ in 0..<count { tracer.span("work", below: nil).end() }
    }

    /// Waits for the pause after that number of exports.
    private func pause(after count: Int) async throws {
        try await eventually { collector.batches.count >= count }
        await time.sleepers(1)
    }

    @Test("a full batch goes out at once, and the rest at the next interval")
    func batches() async throws {
        let (export, tracer) = export()
        let running = Task { await export.run() }
        defer { running.cancel() }
        await time.sleepers(1)
        end(5, tracer)
        #expect(await events.first { $0 == .exported(4) ? true : nil } == true)
        await time.sleepers(1)
        time.advance(by: .seconds(5))
        #expect(await events.first { $0 == .exported(1) ? true : nil } == true)
        #expect(collector.batches == [4, 1])
    }

    @Test("spans over the limit of the queue are dropped and counted, and nobody waits for them")
    func overflow() async throws {
        let (export, tracer) = export(queue: 8, batch: 8)
        end(20, tracer)
        await export.finish()
        #expect(events.events == [.dropped(12, .queueFull), .exported(8)])
    }

    @Test("a batch is tried four times, and then dropped with the reason")
    func retries() async throws {
        let (export, tracer) = export(batch: 1)
        collector.outcomes.withLock { $0 = Array(repeating: .failed("It is away."), count: 4) }
        end(1, tracer)
        let running = Task { await export.run() }
        defer { running.cancel() }
        // The pauses are of one to eight seconds.
        for attempt in 1...3 {
            try await pause(after: attempt)
            time.advance(by: .seconds(8))
        }
        #expect(await events.first { $0 } == .dropped(1, .collector("It is away.")))
        #expect(collector.batches == [1, 1, 1, 1])
    }

    @Test("what the collector refuses is not sent again")
    func refused() async throws {
        let (export, tracer) = export()
        collector.outcomes.withLock {
            $0 = [.refused("It answered with HTTP status 401."), .taken(refused: 3), .taken(refused: .max)]
        }
        end(8, tracer)
        await export.finish()
        end(2, tracer)
        await export.finish()
        #expect(
            events.events == [
                .dropped(4, .collector("It answered with HTTP status 401.")), .exported(1),
                .dropped(3, .collector("It refused some spans.")), .exported(0),
                .dropped(2, .collector("It refused some spans.")),
            ]
        )
    }

    @Test("a process that ends sends what it has, also of a batch that failed, and waits two seconds at most")
    func ending() async throws {
        let (export, tracer) = export(batch: 4)
        collector.outcomes.withLock { $0 = [.failed("It is away."), .taken(refused: 0)] }
        end(6, tracer)
        let running = Task { await export.run() }
        try await pause(after: 1)
        running.cancel()
        await running.value
        collector.onExport.withLock { $0 = { [time] in time.advance(by: .seconds(3)) } }
        await export.finish()
        #expect(events.events == [.exported(4), .dropped(2, .collector("The process ended."))])
    }
}

/// A collector that answers as it is told, and then takes everything.
private final class ScriptedCollector: SpanExporter {
    let outcomes = Mutex<[SpanExportOutcome]>([])
    let onExport = Mutex<(@Sendable () -> Void)?>(nil)
    private let sizes = Mutex<[Int]>([])

    var batches: [Int] { sizes.withLock { $0 } }

    func export(_ spans: [FinishedSpan], until deadline: Instant) async -> SpanExportOutcome {
        sizes.withLock { $0.append(spans.count) }
        onExport.withLock { $0 }?()
        return outcomes.withLock { $0.isEmpty ? .taken(refused: 0) : $0.removeFirst() }
    }
}
