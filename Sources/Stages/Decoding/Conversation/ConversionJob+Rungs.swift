import Media
import Synchronization

/// The rungs of a job that were emitted so far, by any process.
final class EmittedRungs: Sendable {
    private let state = Mutex<Set<Rung>>([])

    var rungs: Set<Rung> { state.withLock(\.self) }

    func insert(_ rung: Rung) { state.withLock { _ = $0.insert(rung) } }
}

extension ConversionJob {
    /// Returns the same job, which records its outputs in `emitted`.
    func recording(in emitted: EmittedRungs) -> ConversionJob {
        var job = self
        job.onEvent = { [onEvent] event in
            if case .output(let output) = event { emitted.insert(output.report.rung) }
            onEvent(event)
        }
        return job
    }

    /// Returns the same job with only the rungs that are worth trying now. Throws if the time left is too short for
    /// any.
    func limitedToWorthwhileRungs() throws(AttachmentFailure) -> ConversionJob {
        guard let rungs = worthwhileRungs?() else { return self }
        guard !rungs.isEmpty else {
            throw AttachmentFailure(
                .decode,
                .timedOut,
                "When a decoder was free, too little time was left. Raise the deadline, or add decoders.",
            )
        }
        var job = self
        job.request.rungs = rungs
        return job
    }

    /// Returns the same job for another process, without the rungs in `emitted` and all worse ones.
    func without(_ emitted: EmittedRungs) -> ConversionJob {
        guard let best = emitted.rungs.max(by: { $0.position < $1.position }) else { return self }
        var job = self
        job.request.rungs = request.rungs.filter { $0.position > best.position }
        return job
    }
}
