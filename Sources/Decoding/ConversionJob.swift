import Media

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
}
