/// The rule that decides which traces are recorded (OpenTelemetry SDK, "Built-in samplers").
package enum Sampler: Sendable, Equatable {
    case always
    case never
    /// This share of all traces, from 0 to 1. All processes with the same share choose the same traces.
    case share(Double)
    /// The caller's decision, or `otherwise` for traces that begin here.
    indirect case parent(otherwise: Sampler)

    package func samples(_ trace: TraceID, parent: SpanContext?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        // The lowest 7 bytes are random (W3C Trace Context, section 3.2.2.3.1).
        case .share(let share): Double(trace.low & 0xFF_FFFF_FFFF_FFFF) < share * Double(1 << 56)
        case .parent(let root): parent?.isSampled ?? root.samples(trace, parent: nil)
        }
    }
}
