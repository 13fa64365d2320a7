package import Media

/// What the worker says to a decoder process.
package enum WorkerMessage: Sendable, Equatable {
    /// The one job of this process. With it come the source's descriptor and `outputs` output descriptors, in that
    /// order, each of `outputCapacity` bytes.
    case transform(ConversionRequest, source: SourceProgress, outputs: Int, outputCapacity: Int)
    /// The first `byteCount` bytes of the source are there now.
    case have(byteCount: Int)
    /// No more bytes will come. `isWhole` says whether the source is complete, or the download stopped.
    case endsHere(byteCount: Int, isWhole: Bool)
    /// Finish what is being written, and stop.
    case timeWillExpire
}

/// How much of the source is there.
package struct SourceProgress: Sendable, Equatable {
    package var byteCount: Int
    /// Whether no more bytes will come.
    package var isEnded: Bool
    /// Whether it ended before its last byte.
    package var isCut: Bool

    package init(byteCount: Int, isEnded: Bool = false, isCut: Bool = false) {
        self.byteCount = byteCount
        self.isEnded = isEnded
        self.isCut = isCut
    }
}

/// What a decoder process says to the worker, which believes none of it before it has checked it.
package enum DecoderMessage: Sendable, Equatable {
    /// Warmed up, locked down, waiting for its job.
    case ready(SandboxReport)
    /// Nothing can be done before the first `byteCount` bytes of the source are there.
    case need(byteCount: Int)
    /// The source's header was read.
    case source(SourceReport)
    /// An output is complete, in the output descriptor numbered `output`.
    case rung(RungReport, output: Int)
    /// No better rung will follow.
    case done
    case failed(AttachmentFailure.Reason)
}
