import Media
import Synchronization
package import Timing

/// The durations of a notification's stages. Each stage lasts from the end of the one before it.
///
/// Download and decoding overlap. The overlap counts as download; the time after it is the wait for a decoder process,
/// if there still is one, and then decoding.
package final class Stopwatch: Sendable {
    package enum Stage: String, Sendable, CaseIterable {
        case queue, download, wait, decode, store
    }

    private let time: any TimeSource
    package let start: Instant
    private let ends = Mutex<[Stage: Instant]>([:])

    package init(time: any TimeSource, start: Instant) {
        self.time = time
        self.start = start
    }

    package var now: Instant { time.now }

    /// Records the end of a stage. Of several attachments, the last one's end counts.
    ///
    /// If a later stage has ended while this one is still under way, this one missed the deadline: it ends there too,
    /// and later calls for it are ignored. `instant` is for an end in the past.
    package func finish(_ stage: Stage, at instant: Instant? = nil) {
        let now = instant ?? time.now
        ends.withLock { ends in
            guard !stage.later.contains(where: { $0 != .wait && ends[$0] != nil }) else { return }
            ends[stage] = now
            for earlier in stage.earlier where ends[earlier] == nil { ends[earlier] = now }
        }
    }

    /// Records that a decoder process began. Of several attachments, the last one's counts. Downloads may still be under
    /// way: then nothing waited for a decoder.
    package func finishWaiting(at instant: Instant) {
        ends.withLock { ends in
            guard ends[.decode] == nil else { return }
            ends[.wait] = max(ends[.wait] ?? instant, instant)
        }
    }

    /// The durations of the stages, in order.
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
