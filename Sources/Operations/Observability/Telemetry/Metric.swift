import Base
import Synchronization

/// A metric: its name, its meaning, and a value for each set of labels.
///
/// Values stay for the lifetime of the process: a counter that disappears would look like a restart.
package final class Metric<Value: MetricValue>: Sendable {
    package let name: String
    private let help: String
    private let labels: [String]
    private let values: Mutex<[[String]: Value]>

    /// Creates a metric. The names of its labels are in alphabetical order. The `known` values of its only label exist from
    /// the start: a rule that watches a counter's increase misses the first step of a counter that did not exist before.
    package init(_ name: String, _ help: String, by labels: String..., with known: [String] = []) {
        self.name = name
        self.help = help
        self.labels = labels
        let keys = labels.isEmpty ? [[]] : known.map { [$0] }
        values = Mutex(Dictionary(uniqueKeysWithValues: keys.map { ($0, Value()) }))
    }

    fileprivate func change(_ labels: [String], _ change: (inout Value) -> Void) {
        assert(labels.count == self.labels.count, "\(name) has other labels")
        values.withLock { change(&$0[labels, default: Value()]) }
    }
}

/// A number that grows.
package typealias Counter = Metric<Count>
/// A number that is set when the metrics are read.
package typealias Gauge = Metric<Level>
/// The distribution of durations.
package typealias Histogram = Metric<Durations>

extension Metric<Count> {
    package func add(_ labels: String..., by amount: Int = 1) { change(labels) { $0.total += amount } }
}

extension Metric<Level> {
    package func set(_ value: Double, _ labels: String...) { change(labels) { $0.level = value } }

    package func set(_ value: Int, _ labels: String...) { change(labels) { $0.level = Double(value) } }
}

extension Metric<Durations> {
    package func record(_ duration: Duration, _ labels: String...) { change(labels) { $0.record(duration) } }
}

// MARK: - Values

/// The value of a metric for one set of labels.
package protocol MetricValue: Sendable {
    /// The type of the metric, as written after `# TYPE`.
    static var kind: String { get }
    var samples: [MetricSample] { get }

    init()
}

/// A line of a metric's text.
package struct MetricSample {
    /// The ending of the metric's name.
    var ending = ""
    /// The upper bound of a bucket.
    var bound: String?
    var number: Double
}

package struct Count: MetricValue {
    package static let kind = "counter"
    fileprivate var total = 0

    package init() {}

    package var samples: [MetricSample] { [MetricSample(number: Double(total))] }
}

package struct Level: MetricValue {
    package static let kind = "gauge"
    fileprivate var level = 0.0

    package init() {}

    package var samples: [MetricSample] { [MetricSample(number: level)] }
}

package struct Durations: MetricValue {
    package static let kind = "histogram"

    /// The upper bounds of the buckets, in seconds: from a cached answer to the longest deadline.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60]

    private var sum = 0.0
    private var count = 0
    /// The number of durations in each bucket, not cumulative.
    private var buckets = [Int](repeating: 0, count: bounds.count)

    package init() {}

    fileprivate mutating func record(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        sum += seconds
        count += 1
        if let bucket = Self.bounds.firstIndex(where: { seconds <= $0 }) { buckets[bucket] += 1 }
    }

    package var samples: [MetricSample] {
        var total = 0
        var samples = zip(Self.bounds, buckets).map { bound, count in
            total += count
            return MetricSample(ending: "_bucket", bound: bound.metricText, number: Double(total))
        }
        samples += [
            MetricSample(ending: "_bucket", bound: "+Inf", number: Double(count)),
            MetricSample(ending: "_sum", number: sum), MetricSample(ending: "_count", number: Double(count)),
        ]
        return samples
    }
}

// MARK: - Text

/// A metric of any kind, as part of a text.
package protocol WrittenMetric: Sendable {
    var name: String { get }
    /// The metric in Prometheus's text exposition format, version 0.0.4; empty if it has no value yet.
    var text: String { get }
}

extension Metric: WrittenMetric {
    package var text: String {
        let values = values.withLock { $0 }
        guard !values.isEmpty else { return "" }
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(Value.kind)\n"
        for (key, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            for sample in value.samples {
                var pairs = zip(labels, key).map { "\($0)=\"\($1.escaped)\"" }
                if let bound = sample.bound { pairs.append("le=\"\(bound)\"") }
                let labels = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
                text += "\(name)\(sample.ending)\(labels) \(sample.number.metricText)\n"
            }
        }
        return text
    }
}

extension Double {
    fileprivate var metricText: String { Int(exactly: self).map(String.init) ?? String(self) }
}

extension String {
    /// The text as the value of a label.
    fileprivate var escaped: String {
        replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
