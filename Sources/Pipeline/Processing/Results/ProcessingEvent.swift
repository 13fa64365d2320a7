package import Base
package import Media
import Synchronization

/// An event of the pipeline.
package enum ProcessingEvent: Sendable {
    case attachment(AttachmentEvent)
    /// A step of the work on an attachment began, goes on, or ended.
    case step(Activity, StepEvent)
    /// A notification was answered.
    case answered(ProcessingResult)
    /// An answer went to its connection, or to the queue, with so much time until its deadline.
    case left(margin: Duration)
}

/// An event in the life of a requested attachment.
///
/// Each notification records its own events: one that joins the work of another records that it joined.
package enum AttachmentEvent: Sendable, Equatable {
    /// A download and its decoding started. The work has a number of its own in this process.
    case begun(work: Int)
    /// The notification joined work that was already in progress.
    case joined(work: Int)
    /// The attachment came from the cache.
    case reused
    /// The origin confirmed that the source of a cached attachment has not changed. The task that made the attachment
    /// records this once for all notifications that wait.
    case revalidated
}

/// An event of a step: it begins with one of the first three, and ends with one of the last four.
package enum StepEvent: Sendable {
    case downloads(Source)
    case decodes(MediaFormat)
    case stores(RungReport)
    case progresses(ProgressEvent)
    /// The download ended, with all bytes or because of a failure.
    case downloaded(SourceContents)
    /// A decoder process worked for this time.
    case decoded(worked: Duration)
    case stored
    case failed(AttachmentFailure)
}

/// The report of the answer to one job, which several attempts at an answer share.
///
/// A worker that answers a job for lack of time does not wait for the work on it, which ends later with an answer that
/// nobody gets. Only the first of them is an event, so a job has one line in the log and counts once.
package final class AnswerReport: Sendable {
    /// The report of the job that the current task works on, if others may answer it.
    @TaskLocal package static var current: AnswerReport?

    private let isMade = Atomic(false)

    package init() {}

    /// Returns whether this is the first answer.
    func make() -> Bool { !isMade.exchange(true, ordering: .relaxed) }
}

/// The slot or permit with which a notification is processed. Its owner learns when a decoder begins, and gives the slot to
/// others while an attachment waits for a picture that its origin does not have yet.
///
/// A class, because the optimizer of Swift 6.3 breaks a task-local closure: the process died when the value was set.
package final class WorkSlot: Sendable {
    @TaskLocal package static var current: WorkSlot?

    private struct State {
        /// The number of attachments that wait for their origin.
        var waiting = 0
        var wasLent = false
    }

    private let state = Mutex(State())
    private let onDecoding: @Sendable () -> Void
    private let lend: @Sendable () -> Bool
    private let reclaim: @Sendable () -> Void

    /// Creates a slot. `lend` returns `false` if too many others wait already. All closures may be called often and under
    /// locks, so they must return at once.
    package init(
        onDecoding: @escaping @Sendable () -> Void = {},
        lend: @escaping @Sendable () -> Bool,
        reclaim: @escaping @Sendable () -> Void,
    ) {
        self.onDecoding = onDecoding
        self.lend = lend
        self.reclaim = reclaim
    }

    /// A Boolean value that indicates whether others had the slot for a while.
    package var wasLent: Bool { state.withLock(\.wasLent) }

    /// Records that a decoder has begun an attachment, even if it began it for another notification.
    package func decoderBegan() { onDecoding() }

    /// Lends the slot while an attachment waits. Returns `false` if the attachment must not wait.
    package func wait() -> Bool {
        state.withLock { state in
            guard state.waiting > 0 || lend() else { return false }
            state.waiting += 1
            state.wasLent = true
            return true
        }
    }

    /// Takes the slot back as soon as no attachment waits.
    package func goOn() {
        state.withLock { state in
            guard state.waiting > 0 else { return }
            state.waiting -= 1
            if state.waiting == 0 { reclaim() }
        }
    }

    /// Takes the slot back at the end of the notification.
    package func end() {
        state.withLock { state in
            if state.waiting > 0 { reclaim() }
            state.waiting = 0
        }
    }
}

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
    /// The ends of the stages, in order.
    private let ends = Mutex([Instant?](repeating: nil, count: Stage.allCases.count))

    package init(time: any TimeSource, start: Instant) {
        self.time = time
        self.start = start
    }

    package var now: Instant { time.now }

    /// Records the end of a stage. Of several attachments, the last one's end counts.
    ///
    /// If a later stage has ended while this one is still running, this stage missed the deadline: it ends at the same
    /// time, and later calls for it are ignored. `instant` is for an end in the past.
    package func finish(_ stage: Stage, at instant: Instant? = nil) {
        let now = instant ?? time.now
        ends.withLock { ends in
            let later = ends.indices.dropFirst(stage.index + 1)
            guard !later.contains(where: { $0 != Stage.wait.index && ends[$0] != nil }) else { return }
            ends[stage.index] = now
            for earlier in ends.indices.prefix(stage.index) where ends[earlier] == nil { ends[earlier] = now }
        }
    }

    /// Records that a decoder process began. Of several attachments, the last one's counts. Downloads may still be under
    /// way: then nothing waited for a decoder.
    package func finishWaiting(at instant: Instant) {
        ends.withLock { ends in
            guard ends[Stage.decode.index] == nil else { return }
            ends[Stage.wait.index] = max(ends[Stage.wait.index] ?? instant, instant)
        }
    }

    /// The durations of the stages.
    package var durations: StageDurations {
        var previous = start
        return StageDurations(
            values: ends.withLock(\.self).map { end in
                let start = previous
                previous = max(start, end ?? start)
                return previous - start
            }
        )
    }
}

/// The duration of each stage.
package struct StageDurations: Sendable {
    /// In the order of the stages.
    let values: [Duration]

    package subscript(stage: Stopwatch.Stage) -> Duration { values[stage.index] }
}

extension Stopwatch.Stage {
    /// The position in the order of the stages.
    fileprivate var index: Int {
        switch self {
        case .queue: 0
        case .download: 1
        case .wait: 2
        case .decode: 3
        case .store: 4
        }
    }
}
