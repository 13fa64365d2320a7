import Media
import Synchronization
package import Timing

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
    ///
    /// A stage that is still under way when a later one ends was left behind at the deadline: it ends there too, and
    /// what it says afterwards is dropped. `instant` is for an end that has passed.
    package func finish(_ stage: Stage, at instant: Instant? = nil) {
        let now = instant ?? time.now
        ends.withLock { ends in
            guard !stage.later.contains(where: { ends[$0] != nil }) else { return }
            ends[stage] = now
            for earlier in stage.earlier where ends[earlier] == nil { ends[earlier] = now }
        }
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

extension Stopwatch.Stage {
    fileprivate var earlier: [Self] { Self.allCases.prefix { $0 != self }.map(\.self) }
    fileprivate var later: [Self] { Self.allCases.drop { $0 != self }.dropFirst().map(\.self) }
}
