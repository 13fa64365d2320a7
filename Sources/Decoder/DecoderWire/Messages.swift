package import Media

/// What the worker says to a decoder process.
package enum WorkerMessage: Sendable, Equatable {
    /// The one job of this process. With it come the source's descriptor and `outputs` output descriptors, in that
    /// order, each of `outputCapacity` bytes.
    case transform(ConversionRequest, source: SourceProgress, outputs: Int, outputCapacity: Int)
    /// The bytes of this range, in which what was asked for begins, are there now. It is empty where the source ends
    /// before that. `size` is the source's, if it is known.
    case have(Range<Int>, size: Int?)
    /// The memory for the source that was described is there: decode it.
    case proceed
    /// No more bytes will come.
    case endsHere(SourceProgress)
    /// Finish what is being written, and stop.
    case timeWillExpire
}

/// What of the source is there.
package struct SourceProgress: Sendable, Equatable {
    package var present: ByteRanges
    /// How many bytes the source has in all, if that is known.
    package var size: Int?
    /// Whether no more bytes will come.
    package var isEnded: Bool
    /// Whether it ended before its last byte.
    package var isCut: Bool

    package init(present: ByteRanges, size: Int? = nil, isEnded: Bool = false, isCut: Bool = false) {
        self.present = present
        self.size = size
        self.isEnded = isEnded
        self.isCut = isCut
    }
}

/// What a decoder process says to the worker, which believes none of it before it has checked it.
package enum DecoderMessage: Sendable, Equatable {
    /// Warmed up, locked down, waiting for its job.
    case ready(SandboxReport)
    /// The job has come. From now on, if the process dies, the source may have killed it.
    case began
    /// Nothing can be done before the bytes of this range are there, as far as the source goes. Then, or soon, the next
    /// `ahead` bytes will be wanted too.
    case need(Range<Int>, ahead: Int)
    /// The source's header was read. Decoding it needs about `memoryBytes`, and begins when the worker says so.
    case source(SourceReport, memoryBytes: Int = 0)
    /// An output is complete, in the output descriptor numbered `output`.
    case rung(RungReport, output: Int)
    /// The preview is complete, in the output descriptor numbered `output`.
    case preview(byteCount: Int, output: Int)
    /// No better rung will follow.
    case done
    case failed(AttachmentFailure.Reason)
}
