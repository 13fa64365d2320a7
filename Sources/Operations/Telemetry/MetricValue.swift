import CoreMetrics
import Synchronization

/// The type of a metric, as written after `# TYPE`.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// The value of one metric with one set of labels.
final class MetricValue: Sendable {
    struct Snapshot: Sendable {
        var sum = 0.0
        var count = 0
        /// The number of observations in each bucket, not cumulative.
        var buckets = [Int](repeating: 0, count: MetricValue.bounds.count)
    }

    /// The upper bounds of a histogram's buckets, in seconds: from a cached answer to the longest deadline.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60]

    let kind: MetricKind
    private let state = Mutex(Snapshot())

    init(kind: MetricKind) { self.kind = kind }

    var snapshot: Snapshot { state.withLock { $0 } }

    private func add(_ amount: Double) { state.withLock { $0.sum += amount } }

    private func observe(_ amount: Double) {
        state.withLock { state in
            guard kind == .histogram else {
                state.sum = amount
                return
            }
            state.sum += amount
            state.count += 1
            if let bucket = Self.bounds.firstIndex(where: { amount <= $0 }) { state.buckets[bucket] += 1 }
        }
    }
}

extension MetricValue: CounterHandler, FloatingPointCounterHandler {
    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func reset() { state.withLock { $0 = Snapshot() } }
}

extension MetricValue: MeterHandler, RecorderHandler {
    func set(_ value: Int64) { observe(Double(value)) }
    func set(_ value: Double) { observe(value) }
    func decrement(by amount: Double) { add(-amount) }
    func record(_ value: Int64) { observe(Double(value)) }
    func record(_ value: Double) { observe(value) }
}

extension MetricValue: TimerHandler {
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
