import Events
package import Media
import Metrics
import Telemetry

/// The metrics of the memory for the bytes of sources.
package struct SourceMetrics: Instrument {
    static let help = [
        "attachd_source_memory_bytes": "Memory that sources have reserved, in bytes.",
        "attachd_source_memory_limit_bytes": "Memory that all sources may have together, in bytes.",
        "attachd_source_memory_waits_total": "Downloads that paused because other sources had the memory.",
        "attachd_source_memory_losses_total":
            "Sources that lost memory to others: what they had reserved (reserved), their bytes, which are fetched again (bytes), or their rest (rest).",
    ]

    private let held: Meter
    private let limit: Meter
    private let waits: Counter
    private let trimmed: Counter
    private let tookBack: Counter
    private let ended: Counter

    init(_ registry: PrometheusRegistry) {
        held = registry.meter("attachd_source_memory_bytes")
        limit = registry.meter("attachd_source_memory_limit_bytes")
        waits = registry.counter("attachd_source_memory_waits")
        trimmed = registry.counter("attachd_source_memory_losses", [("kind", "reserved")])
        tookBack = registry.counter("attachd_source_memory_losses", [("kind", "bytes")])
        ended = registry.counter("attachd_source_memory_losses", [("kind", "rest")])
    }

    package func record(_ event: SourceMemoryEvent) {
        switch event {
        case .paused: waits.increment()
        case .trimmed: trimmed.increment()
        case .tookBack: tookBack.increment()
        case .ended: ended.increment()
        }
    }

    package func set(_ usage: SourceMemory.Usage) {
        held.set(Double(usage.heldBytes))
        limit.set(Double(usage.byteLimit))
    }
}
