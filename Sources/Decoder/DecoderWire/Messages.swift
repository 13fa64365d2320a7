package import Media

/// A message from the worker to a decoder process.
package enum WorkerMessage: Sendable, Equatable {
    /// The only job of this process. The message carries the source's descriptor and then `outputs` output descriptors
    /// of `outputCapacity` bytes each.
    case transform(ConversionRequest, source: SourceProgress, outputs: Int, outputCapacity: Int)
    /// The bytes of this range have arrived. The range begins where the requested one does, and is empty if the source
    /// ends before it. `size` is the size of the source, if known.
    case have(Range<Int>, size: Int?)
    /// The memory for decoding the source is available. The process may begin.
    case proceed
    /// The source has ended: no more bytes follow.
    case endsHere(SourceProgress)
    /// Time is nearly up: the process must finish the current output and stop.
    case timeWillExpire
}

/// The progress of the source's download.
package struct SourceProgress: Sendable, Equatable {
    package var present: ByteRanges
    /// The size of the source in bytes, if known.
    package var size: Int?
    /// A Boolean value that indicates whether the source has ended: no more bytes follow.
    package var isEnded: Bool
    /// A Boolean value that indicates whether the source ended before its last byte.
    package var isCut: Bool

    package init(present: ByteRanges, size: Int? = nil, isEnded: Bool = false, isCut: Bool = false) {
        self.present = present
        self.size = size
        self.isEnded = isEnded
        self.isCut = isCut
    }
}

/// A message from a decoder process to the worker. The worker checks all of it before it acts on it.
package enum DecoderMessage: Sendable, Equatable {
    /// The process has warmed up, has given up its rights, and waits for its job.
    case ready(SandboxReport)
    /// The job has arrived. If the process dies from now on, the source may be the cause.
    case began
    /// The process waits for the bytes of this range, as far as the source has them. Now or soon afterwards it needs
    /// the next `ahead` bytes too.
    case need(Range<Int>, ahead: Int)
    /// The source's header has been read. Decoding needs about `memoryBytes`, and begins when the worker allows it.
    case source(SourceReport, memoryBytes: Int = 0)
    /// An output is complete, in the output descriptor at index `output`.
    case rung(RungReport, output: Int)
    /// The thumbnail is complete, in the output descriptor at index `output`.
    case thumbnail(byteCount: Int, output: Int)
    /// The job is done: no better rung follows.
    case done
    case failed(AttachmentFailure.Reason, FailureCause? = nil)
    /// The process tried a system call with this number, which the filter forbids, and dies. The handler of the signal sends
    /// it (`CProcess`), and a process that an attacker has taken over may send any number.
    case triedForbiddenCall(Int)
}
