import CoreMetrics
import Telemetry
import Testing

@Suite("Metrics in Prometheus's format")
struct PrometheusRegistryTests {
    let registry = PrometheusRegistry(help: ["jobs_total": "Jobs that ended."])

    @Test("counters add up, separately for each set of labels")
    func counters() {
        let complete = Counter(label: "jobs", dimensions: [("outcome", "complete")], factory: registry)
        complete.increment(by: 2)
        Counter(label: "jobs", dimensions: [("outcome", "complete")], factory: registry).increment()
        Counter(label: "jobs", dimensions: [("outcome", "original")], factory: registry).increment()
        #expect(
            registry.text() == """
                # HELP jobs_total Jobs that ended.
                # TYPE jobs_total counter
                jobs_total{outcome="complete"} 3
                jobs_total{outcome="original"} 1

                """
        )
    }

    @Test("a gauge is its last value")
    func gauges() {
        let gauge = Gauge(label: "running", factory: registry)
        gauge.record(5)
        gauge.record(2.5)
        #expect(registry.text().contains("# TYPE running gauge\nrunning 2.5\n"))
    }

    @Test("a timer's buckets count durations up to their bound")
    func timers() {
        let timer = CoreMetrics.Timer(label: "stage", dimensions: [("stage", "decode")], factory: registry)
        for milliseconds in [1, 90, 100, 70_000] { timer.recordMilliseconds(milliseconds) }
        let text = registry.text()
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"0.001\"} 1\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"0.1\"} 3\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"60\"} 3\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"+Inf\"} 4\n"))
        #expect(text.contains("stage_seconds_count{stage=\"decode\"} 4\n"))
        #expect(text.contains("stage_seconds_sum{stage=\"decode\"} 70.191\n"))
    }

    @Test("a timer without durations is an empty histogram")
    func emptyTimer() {
        _ = CoreMetrics.Timer(label: "stage", factory: registry)
        #expect(registry.text().contains("stage_seconds_bucket{le=\"+Inf\"} 0\nstage_seconds_sum 0\n"))
        #expect(!registry.text().contains("\nstage_seconds 0"))
    }

    @Test("label values are escaped")
    func escaping() {
        Counter(label: "odd", dimensions: [("name", "a\"b\\c\nd")], factory: registry).increment()
        #expect(registry.text().contains(#"odd_total{name="a\"b\\c\nd"} 1"#))
    }
}
