package import Media
package import ServiceExtension
package import Timing

/// Fetches a source. `App` conforms libcurl's downloader to it.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into `file`, at least those that its readers want, and ends it whole or cut: a failure
    /// is in the file's ending. Returns soon after somebody else has ended it.
    ///
    /// At `deadline` those who wait now have no more use for it; more may come, who wait longer. `kind` is what the sender
    /// says that it is, if anything. A source that is still the `known` one isn't fetched: the file is cut with no byte.
    /// `onHead` is told what each answer says of its use, before any byte of that answer is in the file; a source that
    /// comes without such answers is of no use to others.
    func download(
        _ url: String,
        into file: MediaFile,
        until deadline: MovingDeadline,
        kind: MediaFormat.Kind?,
        unless known: SourceValidators?,
        onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async
}

/// Makes outputs of a source. `App` conforms the pool of decoder processes to it.
package protocol AttachmentConverting: Sendable {
    /// Returns when nothing better will come; each output that is complete and checked is published on the way.
    ///
    /// At the latest `deadline` the decoder is stopped, whatever it does, and notes that there; the soonest says how
    /// urgent it is. When a decoder is free, `rungs` says which are worth trying in the time that is left then, if any is.
    ///
    /// - Returns: How long the decoder worked; what it waited for is not in it.
    func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: @escaping @Sendable () -> Set<Rung>,
        until deadline: MovingDeadline,
        describe: @escaping @Sendable (SourceReport) -> Void,
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) -> Duration
}

/// Keeps delivered files. `App` conforms the attachment store to it.
package protocol AttachmentStoring: Sendable {
    /// What storing nearly always takes beside moving a file on this machine.
    var cost: Duration { get }
    /// Why nothing can be stored now, where that is known without trying.
    var refusal: AttachmentFailure? { get }

    /// Moves an output into the store, to where its URL leads. Either all of it is there afterwards, or nothing.
    func store(_ rung: ReadyRung, until deadline: Instant) async throws(AttachmentFailure) -> StoredAttachment

    /// Stores an output as `store` does, and records which source it is of, so that it can be taken back with it.
    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment

    /// Takes back a file that was stored.
    func forget(_ stored: StoredAttachment) async

    /// Keeps a file that was stored before as if it were stored now, under a URL of its own; `nil` if it has gone.
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
