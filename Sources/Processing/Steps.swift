package import Media
package import ServiceExtension

/// Fetches a source. `App` conforms libcurl's downloader to it.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into `file`, at least those that its readers want, and ends it whole or cut: a failure
    /// is in the file's ending. Returns soon after somebody else has ended it.
    ///
    /// `kind` is what the sender says that it is, if anything. If the source is still the `known` one, the file is cut
    /// with no byte. `onHead` is told what each answer says of its use, before any byte of that answer is in the file; a
    /// source that comes without such answers is of no use to others.
    func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
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
    /// Moves an output into the store. Either all of it is there afterwards, or nothing.
    func store(_ rung: ReadyRung) async throws(AttachmentFailure) -> StoredAttachment

    /// Keeps a file that was stored before as if it were stored now, under a URL of its own; `nil` if it has gone.
    func renew(_ stored: StoredAttachment) async -> StoredAttachment?
}
