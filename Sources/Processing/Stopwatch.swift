package import Media
import Synchronization

/// Where a notification's time went: each stage lasts from the end of the one before it.
///
/// Download and decoding overlap; what they share counts as download, and decoding is what came after.
package final class Stopwatch: Sendable {
    package enum Stage: String, Sendable, CaseIterable {
        case queue, download, decode, store
    }

    private let time: any TimeSource
    package let start: Instant
    private let ends = Mutex<[Stage: Instant]>([:])

    package init(time: any TimeSource, start: Instant) {
        self.time = time
        self.start = start
    }

    package var now: Instant { time.now }

    /// Marks the end of a stage; of several attachments, the last one's end counts.
    package func finish(_ stage: Stage) {
        let now = time.now
        ends.withLock { $0[stage] = now }
    }

    /// The stages' durations, in order.
    package var durations: [Stage: Duration] {
        let ends = ends.withLock { $0 }
        var previous = start
        var durations: [Stage: Duration] = [:]
        for stage in Stage.allCases {
            let end = max(previous, ends[stage] ?? previous)
            durations[stage] = end - previous
            previous = end
        }
        return durations
    }
}
