import Timing
import Tracing

extension DefaultTracerClock.Timestamp {
    /// Returns the time that long before this one, to the millisecond.
    func before(_ duration: Duration) -> Self {
        let nanoseconds = UInt64(max(0, duration.milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        guard !nanoseconds.overflow, nanoseconds.partialValue < nanosecondsSinceEpoch else { return self }
        return Self(nanosecondsSinceEpoch: nanosecondsSinceEpoch - nanoseconds.partialValue)
    }
}
