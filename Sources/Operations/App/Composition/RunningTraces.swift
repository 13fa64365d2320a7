import Events
import Foundation
import HTTPClient
import Instruments
import Logging
import Machine
import Media
import ServiceLifecycle
import Settings
import Traces

/// The tracer of this process and the way of its spans to the collector, as a service that sends the last of them when
/// it is told to stop.
final class RunningTraces: Service {
    let tracer: SpanTracer
    private let export: SpanExport
    private let collector: Collector

    init(_ settings: TraceSettings, _ http: HTTPSettings, _ metrics: TraceMetrics, _ warnings: WarningLog) {
        let resource = [
            "service.version": Version.number, "service.instance.id": UUID().uuidString.lowercased(),
            "host.name": HostName.current ?? "unknown",
            "process.pid": "\(ProcessInfo.processInfo.processIdentifier)",
            "telemetry.sdk.name": "attachd", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": Version.number,
        ]
        let collector = Collector(settings, http, version: Version.number, resource: resource)
        let export = SpanExport(
            collector,
            limits: settings.batches,
            instrument: InstrumentGroup<SpanExportEvent>(metrics, TraceLog(warnings)),
        )
        tracer = SpanTracer(settings.sampler) { export.add($0) }
        self.export = export
        self.collector = collector
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.export.run() }
        await export.finish()
        collector.shutDown()
    }
}
