/// Metrics in Prometheus's text exposition format, version 0.0.4.
struct PrometheusText {
    private(set) var content = ""
    private var kind = MetricKind.gauge

    mutating func begin(_ name: String, _ kind: MetricKind, help: String?) {
        if let help { content += "# HELP \(name) \(help)\n" }
        content += "# TYPE \(name) \(kind.rawValue)\n"
        self.kind = kind
    }

    mutating func add(_ key: PrometheusRegistry.Key, _ value: MetricValue.Snapshot) {
        guard kind == .histogram else {
            line(key.name, key.labels, value.sum)
            return
        }
        var count = 0
        for (bound, inBucket) in zip(MetricValue.bounds, value.buckets) {
            count += inBucket
            line("\(key.name)_bucket", key.labels + [.init(name: "le", value: number(bound))], Double(count))
        }
        line("\(key.name)_bucket", key.labels + [.init(name: "le", value: "+Inf")], Double(value.count))
        line("\(key.name)_sum", key.labels, value.sum)
        line("\(key.name)_count", key.labels, Double(value.count))
    }

    private mutating func line(_ name: String, _ labels: [PrometheusRegistry.Label], _ value: Double) {
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
        content += pairs.isEmpty ? "\(name) \(number(value))\n" : "\(name){\(pairs)} \(number(value))\n"
    }

    private func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }

    private func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
