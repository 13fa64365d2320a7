import Observability
import Testing

@Suite("Metrics in Prometheus's format")
struct MetricTests {
    @Test("counters add up, separately for each set of labels")
    func counters() {
        let jobs = Counter("jobs_total", "Jobs that ended.", by: "outcome")
        jobs.add("complete", by: 2)
        jobs.add("complete")
        jobs.add("original")
        #expect(
            jobs.text == """
                # HELP jobs_total Jobs that ended.
                # TYPE jobs_total counter
                jobs_total{outcome="complete"} 3
                jobs_total{outcome="original"} 1

                """
        )
    }

    @Test("values that are known beforehand exist from the start, and a metric without a value has no text")
    func start() {
        let jobs = Counter("jobs_total", "", by: "outcome", with: ["original", "complete"])
        #expect(jobs.text.hasSuffix("\njobs_total{outcome=\"complete\"} 0\njobs_total{outcome=\"original\"} 0\n"))
        #expect(Counter("all_total", "").text.hasSuffix("\nall_total 0\n"))
        #expect(Counter("jobs_total", "", by: "outcome").text == "")
    }

    @Test("a gauge is its last value")
    func gauges() {
        let gauge = Gauge("running", "")
        gauge.set(5)
        gauge.set(2.5)
        #expect(gauge.text.contains("# TYPE running gauge\nrunning 2.5\n"))
    }

    @Test("a histogram's buckets count durations up to their bound")
    func durations() {
        let stages = Histogram("stage_seconds", "", by: "stage")
        for milliseconds in [1, 90, 100, 70_000] { stages.record(.milliseconds(milliseconds), "decode") }
        let text = stages.text
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"0.001\"} 1\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"0.1\"} 3\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"60\"} 3\n"))
        #expect(text.contains("stage_seconds_bucket{stage=\"decode\",le=\"+Inf\"} 4\n"))
        #expect(text.contains("stage_seconds_count{stage=\"decode\"} 4\n"))
        #expect(text.contains("stage_seconds_sum{stage=\"decode\"} 70.191\n"))
    }

    @Test("a histogram without durations is empty")
    func emptyHistogram() {
        let text = Histogram("stage_seconds", "").text
        #expect(text.contains("stage_seconds_bucket{le=\"+Inf\"} 0\nstage_seconds_sum 0\n"))
        #expect(!text.contains("\nstage_seconds 0"))
    }

    @Test("label values are escaped")
    func escaping() {
        let odd = Counter("odd_total", "", by: "name")
        odd.add("a\"b\\c\nd")
        #expect(odd.text.contains(#"odd_total{name="a\"b\\c\nd"} 1"#))
    }
}
