import Base
import Observability
import Testing

@Suite("The variables of OpenTelemetry")
struct TraceSettingsTests {
    private static let base = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318"]

    @Test(
        "traces are off unless an endpoint or an exporter is named",
        arguments: [
            [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""], ["OTEL_TRACES_EXPORTER": "none"], ["OTEL_SERVICE_NAME": "a"],
            base.merging(["OTEL_TRACES_EXPORTER": "none"]) { $1 },
            base.merging(["OTEL_SDK_DISABLED": "TRUE"]) { $1 },
            ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317", "OTEL_TRACES_EXPORTER": "none"],
        ]
    )
    func off(environment: [String: String]) throws { #expect(try TraceSettings.read(environment) == nil) }

    @Test(
        "the endpoint is a base for all signals, or that of traces itself",
        arguments: [
            (["OTEL_TRACES_EXPORTER": "otlp"], "http://localhost:4318/v1/traces"),
            (base, "http://collector.example:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://a.example/otlp/"], "https://a.example/otlp/v1/traces"),
            (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://a.example"], "https://a.example/"),
            (
                base.merging(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b.example/x"]) { $1 },
                "http://b.example/x"
            ),
        ]
    )
    func endpoint(environment: [String: String], endpoint: String) throws {
        #expect(try TraceSettings.read(environment)?.endpoint == endpoint)
    }

    @Test("all other variables are followed")
    func all() throws {
        let settings = try #require(
            try TraceSettings.read(
                Self.base.merging([
                    "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
                    "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a%2Cb , x = 1",
                    "OTEL_EXPORTER_OTLP_TIMEOUT": "700", "OTEL_BSP_MAX_QUEUE_SIZE": "100",
                    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "200", "OTEL_BSP_SCHEDULE_DELAY": "50",
                    "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.1",
                    "OTEL_RESOURCE_ATTRIBUTES": "service.name=b,deployment.environment.name=test%20one",
                    "OTEL_SERVICE_NAME": "pictures", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/etc/ca.pem",
                    "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
                ]) { $1 }
            )
        )
        #expect(settings.format == .json && settings.authoritiesFile == "/etc/ca.pem")
        #expect(settings.headers.mapValues(\.revealed) == ["authorization": "Bearer a,b", "x": "1"])
        #expect(!"\(settings)".contains("Bearer"))
        #expect(settings.batches.timeout == .milliseconds(700) && settings.batches.interval == .milliseconds(50))
        // A batch is never larger than the queue.
        #expect(settings.batches.queueSize == 100 && settings.batches.batchSize == 100)
        #expect(settings.sampler == .parent(otherwise: .share(0.1)))
        #expect(settings.resource == ["service.name": "pictures", "deployment.environment.name": "test one"])
    }

    @Test(
        "a value that cannot be followed is refused with what to write instead",
        arguments: [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "4318"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http", "http/json"),
            ("OTEL_TRACES_EXPORTER", "zipkin", "otlp or none"),
            ("OTEL_TRACES_EXPORTER", "otlp,console", "otlp or none"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", "http://"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://", "http://"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "grpc://a.example", "http://"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:pw@a.example", "HEADERS"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example:99999", "http://"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example/x?key=1", "HEADERS"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization", "key1=value1"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0D%0Ac", "key1=value1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "=b", "key1=value1"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0", "whole number"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "whole number"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "-1", "whole number"), ("OTEL_BSP_SCHEDULE_DELAY", "9e99", "whole number"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote", "traceidratio"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "none"),
            ("OTEL_EXPORTER_OTLP_CLIENT_KEY", "/key.pem", "header"),
        ]
    )
    func refused(variable: String, value: String, advice: String) {
        let environment = Self.base.merging([variable: value]) { $1 }
        let error = #expect(throws: TraceSettingsError.self) { try TraceSettings.read(environment) }
        #expect(error?.variable == variable && error?.advice.contains(advice) == true)
    }

    @Test("the share of a sampler is between 0 and 1", arguments: ["2", "-1", "nan", "half"])
    func share(argument: String) {
        let environment = Self.base.merging([
            "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": argument,
        ]) { $1 }
        #expect(throws: TraceSettingsError.self) { try TraceSettings.read(environment) }
    }
}
