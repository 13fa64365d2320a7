import Media
import Synchronization

/// A request to convert one source, and the closures that receive its results.
struct ConversionJob: Sendable {
    var file: MediaFile
    var request: ConversionRequest
    /// The most bytes of one result.
    var outputCapacity: Int
    var expiry: ExpirySignal
    var describe: @Sendable (SourceReport) -> Void
    /// Receives the bytes of the thumbnail, a JPEG.
    var show: @Sendable ([UInt8]) -> Void
    var publish: @Sendable (ReadyRung) -> Void
    /// The rungs that were emitted so far, by any process.
    var published: PublishedRungs
}

/// The rungs of a job that have been emitted.
final class PublishedRungs: Sendable {
    private let state = Mutex<Set<Rung>>([])

    var rungs: Set<Rung> { state.withLock(\.self) }

    func insert(_ rung: Rung) { state.withLock { _ = $0.insert(rung) } }
}

extension ConversionJob {
    /// Returns the same job with only `rungs` of its rungs. Throws if none is left.
    func limited(to rungs: Set<Rung>?) throws(AttachmentFailure) -> ConversionJob {
        guard let rungs else { return self }
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

    /// The same job for another process, without the rungs that were emitted and all worse ones.
    var withoutPublishedRungs: ConversionJob {
        guard let best = published.rungs.max(by: { $0.order < $1.order }) else { return self }
        var job = self
        job.request.rungs = request.rungs.filter { $0.order > best.order }
        return job
    }
}

extension Rung {
    /// The rung's rank among the rungs that may follow each other.
    fileprivate var order: Int { Rung.allCases.firstIndex(of: self) ?? 0 }
}
