package import Timing

/// A client that hands spans to a collector. `App` makes one of libcurl.
package protocol SpanExporter: Sendable {
    func export(_ spans: [FinishedSpan], until deadline: Instant) async -> SpanExportOutcome
}

package enum SpanExportOutcome: Sendable, Equatable {
    /// The collector took the spans, but for this number.
    case taken(refused: Int)
    /// The collector may take them later.
    case failed(String)
    /// The collector will not take them.
    case refused(String)
}

/// An event of the export, for metrics and logs.
package enum SpanExportEvent: Sendable, Equatable {
    case exported(Int)
    case dropped(Int, SpanLoss)
}

/// The reason why spans were not delivered.
package enum SpanLoss: Sendable, Equatable {
    /// More spans ended than the collector took.
    case queueFull
    /// The collector failed or refused, last for this reason.
    case collector(String)

    package var name: String {
        switch self {
        case .queueFull: "queue_full"
        case .collector: "collector"
        }
    }
}
