import Media
import Synchronization

/// What a caller wants made of one source, and whom it tells.
struct ConversionJob: Sendable {
    var file: MediaFile
    var request: ConversionRequest
    /// The most bytes of one result.
    var outputCapacity: Int
    var expiry: ExpirySignal
    var describe: @Sendable (SourceReport) -> Void
    /// Has the bytes of the preview, a JPEG.
    var show: @Sendable ([UInt8]) -> Void
    var publish: @Sendable (ReadyRung) -> Void
    /// What was published so far, by whichever process.
    var published: PublishedRungs
}

/// Which results of a job are out.
final class PublishedRungs: Sendable {
    private let state = Mutex<Set<Rung>>([])

    var rungs: Set<Rung> { state.withLock(\.self) }

    func insert(_ rung: Rung) { state.withLock { _ = $0.insert(rung) } }
}

extension ConversionJob {
    /// The same job with only `rungs` of its rungs; throws if there are none to try.
    func limited(to rungs: Set<Rung>?) throws(AttachmentFailure) -> ConversionJob {
        guard let rungs else { return self }
        guard !rungs.isEmpty else {
            throw AttachmentFailure(.decode, .timedOut, "When a decoder was free, too little time was left for it.")
        }
        var job = self
        job.request.rungs = rungs
        return job
    }

    /// The same job for another process, which is not to make again what is out, nor anything that is worse.
    var withoutPublishedRungs: ConversionJob {
        guard let best = published.rungs.max(by: { $0.order < $1.order }) else { return self }
        var job = self
        job.request.rungs = request.rungs.filter { $0.order > best.order }
        return job
    }
}

extension Rung {
    /// Its place among those that may follow each other.
    fileprivate var order: Int { Rung.allCases.firstIndex(of: self) ?? 0 }
}
