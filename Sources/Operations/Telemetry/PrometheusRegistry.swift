package import CoreMetrics
import Synchronization

/// A backend for swift-metrics that keeps its values in memory and writes them in Prometheus's text format.
///
/// The name of a metric is its label, with `_total` for counters and `_seconds` for timers. Dimensions become labels.
package final class PrometheusRegistry: MetricsFactory {
    /// One metric with one set of labels.
    struct Key: Hashable {
        var name: String
        var labels: [Label]
    }

    struct Label: Hashable {
        var name: String
        var value: String
    }

    private struct Families {
        var kinds: [String: MetricKind] = [:]
        var values: [Key: MetricValue] = [:]
    }

    private let families = Mutex(Families())
    private let help: [String: String]

    /// - Parameter help: The help text of each metric, by name.
    package init(help: [String: String] = [:]) { self.help = help }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(.counter, "\(label)_total", dimensions)
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)],
    ) -> any FloatingPointCounterHandler {
        value(.counter, "\(label)_total", dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(.gauge, label, dimensions)
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool,
    ) -> any RecorderHandler {
        value(aggregate ? .histogram : .gauge, label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(.histogram, "\(label)_seconds", dimensions)
    }

    // Values stay for the lifetime of the process: a counter that disappears would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func value(_ kind: MetricKind, _ name: String, _ dimensions: [(String, String)]) -> MetricValue {
        let labels = dimensions.map { Label(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
        let key = Key(name: name, labels: labels)
        return families.withLock { families in
            if let value = families.values[key] { return value }
            let value = MetricValue(kind: families.kinds[name] ?? kind)
            families.kinds[name] = families.kinds[name] ?? kind
            families.values[key] = value
            return value
        }
    }

    /// Returns all metrics in the text exposition format, version 0.0.4.
    package func text() -> String {
        let families = families.withLock { $0 }
        let names = families.kinds.keys.sorted()
        let keys = Dictionary(grouping: families.values.keys, by: \.name)
        var text = PrometheusText()
        for name in names {
            guard let kind = families.kinds[name] else { continue }
            text.begin(name, kind, help: help[name])
            for key in (keys[name] ?? []).sorted(by: { "\($0.labels)" < "\($1.labels)" }) {
                guard let value = families.values[key] else { continue }
                text.add(key, value.snapshot)
            }
        }
        return text.content
    }
}
