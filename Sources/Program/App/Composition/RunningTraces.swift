import Base
import FoundationEssentials
import HTTPClient
import Logging
import Media
import Observability
import Payloads
import ServiceLifecycle
package import Settings

/// The tracer of this process and the way of its spans to the collector, as a service that sends the last of them when
/// it is told to stop.
final class RunningTraces: Service {
    let tracer: SpanTracer
    private let export: SpanExport
    private let collector: Collector

    init(_ settings: TraceSettings, _ http: HTTPSettings, _ observer: SpanExportObserver) {
        let resource = [
            "service.version": Version.number, "service.instance.id": UUID().uuidString.lowercased(),
            "host.name": HostName.current ?? "unknown",
            "process.pid": "\(ProcessInfo.processInfo.processIdentifier)",
            "telemetry.sdk.name": "attachd", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": Version.number,
        ]
        let collector = Collector(settings, http, version: Version.number, resource: resource)
        let export = SpanExport(collector, limits: settings.batches, recorder: observer)
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

// MARK: - The collector

/// The operator's collector of spans. It has its own client, so a collector that hangs blocks nothing else.
///
/// It may have any address, also on this machine: only the operator names it, never a payload.
final class Collector: SpanExporter {
    private let settings: TraceSettings
    private let resource: [String: String]
    private let version: String
    private let client: HTTPClient

    init(_ settings: TraceSettings, _ base: HTTPSettings, version: String, resource: [String: String]) {
        self.settings = settings
        self.version = version
        self.resource = resource.merging(settings.resource) { $1 }
        var http = base
        http.addresses = .everywhere
        http.name = "traces"
        http.authoritiesFile = settings.authoritiesFile ?? base.authoritiesFile
        client = HTTPClient(settings: http)
    }

    func export(_ spans: [FinishedSpan], until deadline: Instant) async -> SpanExportOutcome {
        let request = OTLPRequest(resource: resource, version: version, spans: spans)
        var message = OutgoingMessage(
            body: request.body(settings.format),
            headers: ["Content-Type": settings.format.mediaType],
        )
        message.secretHeaders = settings.headers
        do throws(AttachmentFailure) {
            let answer = try await client.send(message, to: settings.endpoint, until: deadline)
            switch answer.status {
            case 200..<300: return .taken(refused: settings.format.refusedSpans(in: answer.body))
            // The statuses after which a client tries again (OTLP, "OTLP/HTTP Response").
            case 429, 502, 503, 504: return .failed(Self.reason(answer.status))
            case let status: return .refused(Self.reason(status))
            }
        } catch {
            return .failed(error.message)
        }
    }

    func shutDown() { client.stop() }

    private static func reason(_ status: Int) -> String { "It answered with HTTP status \(status)." }
}

extension TraceSettings.Format {
    /// Returns the number of spans that a collector took out, from its `ExportTraceServiceResponse`. Only JSON tells it
    /// here: in protobuf, an answer in part counts as one in full.
    fileprivate func refusedSpans(in body: [UInt8]) -> Int {
        guard self == .json, let answer = try? JSONValue(parsing: body) else { return 0 }
        let count = answer["partialSuccess"]?["rejectedSpans"]
        return max(0, count?.text.flatMap { Int($0) } ?? count?.double.flatMap { Int(exactly: $0) } ?? 0)
    }
}

// MARK: - Logs

extension Settings {
    /// Sends all logs to standard error, because standard output is for results. Call this once, before anything else.
    package func startLogging() {
        let (format, level) = (self.logFormat, self.logLevel)
        LoggingSystem.bootstrap(
            { label, provider in
                var handler = LineLogHandler(label: label, format: format)
                handler.logLevel = level
                handler.metadataProvider = provider
                return handler
            },
            metadataProvider: .traces,
        )
    }
}

extension Logger.MetadataProvider {
    /// The trace that a line belongs to, under OpenTelemetry's names.
    fileprivate static let traces = Logger.MetadataProvider {
        guard let span = SpanContext.current else { return [:] }
        return ["trace_id": "\(span.trace)", "span_id": "\(span.span)"]
    }
}
