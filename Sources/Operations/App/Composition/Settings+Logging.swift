import Logging
package import Settings
import Telemetry
import Traces
import Tracing

extension Settings {
    /// Sends all logs to standard error, because standard output is for results. Call this once, before anything else.
    package func startLogging() {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap(
            { label, provider in
                var handler = LineLogHandler(label: label, format: format)
                handler.logLevel = level
                handler.metadataProvider = provider
                return OneLineLogHandler(handler)
            },
            metadataProvider: .traces,
        )
    }
}

extension Logger.MetadataProvider {
    /// The trace that a line belongs to, under OpenTelemetry's names.
    fileprivate static let traces = Logger.MetadataProvider {
        guard let span = ServiceContext.current?.spanContext else { return [:] }
        return ["trace_id": "\(span.trace)", "span_id": "\(span.span)"]
    }
}
