package import Media
package import ServiceExtension
package import Timing

/// The step that fetches a source. `App` makes libcurl's downloader conform.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into `file`, at least those that its readers want, and ends the file as whole or cut.
    /// A failure is the file's ending. Returns soon after somebody else has ended the file.
    ///
    /// The download may stop at `deadline`, which moves when waiters with later deadlines join. `kind` is the kind of
    /// media that the sender announced, if any. If the source is still the `known` version, it is not fetched: the file
    /// is cut with no bytes. `onHead` receives the head of each answer before any byte of that answer is in the file. A
    /// source without such heads is not shared.
    func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async
}

/// The step that converts a source. `App` makes the pool of decoder processes conform.
package protocol AttachmentConverting: Sendable {
    /// Converts a source. Emits each output once it is complete and checked, and returns when nothing better will come.
    ///
    /// At the latest time of `deadline`, the decoder is stopped in any case, and the cutback is recorded there. Its
    /// soonest time gives the urgency. When a decoder is free, `rungs` returns the rungs worth trying in the time that is
    /// left, if any.
    ///
    /// - Returns: The time that the decoder worked, without the time that it waited.
    func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: @escaping @Sendable () -> Set<Rung>,
        until deadline: MovingDeadline,
        describe: @escaping @Sendable (SourceReport) -> Void,
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) -> Duration
}

/// The step that keeps delivered files. `App` makes the attachment store conform.
package protocol AttachmentStoring: Sendable {
    /// The time that storing nearly always takes in addition to moving a file on this machine.
    var cost: Duration { get }
    /// The reason why nothing can be stored now; `nil` if none is known without trying.
    var refusal: AttachmentFailure? { get }

    /// Moves an output to the location in the store that its URL leads to. Stores either all of it or nothing.
    func store(_ rung: ReadyRung, until deadline: Instant) async throws(AttachmentFailure) -> StoredAttachment

    /// Stores an output like `store`, and records its source, so that it can be removed together with the source's
    /// other files.
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment

    /// Removes a stored file.
    func forget(_ stored: StoredAttachment) async

    /// Extends the lifetime of a stored file as if it were stored now, and gives it a new URL. Returns `nil` if it no
    /// longer exists.
    func renew(_ stored: StoredAttachment) async -> StoredAttachment?
}

extension AttachmentStoring {
    package var cost: Duration { .zero }
    package var refusal: AttachmentFailure? { nil }

    package func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
    {
        try await store(rung, until: deadline)
    }

    package func forget(_ stored: StoredAttachment) async {}
}
