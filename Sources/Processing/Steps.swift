package import Media

/// Fetches a source. `App` conforms libcurl's downloader to it.
package protocol AttachmentDownloading: Sendable {
    /// Writes the source's bytes into `file`, at least those that its readers want, and ends it whole or cut: a failure
    /// is in the file's ending. Returns soon after somebody else has ended it.
    ///
    /// `kind` is what the sender says that it is, if anything.
    func download(_ url: String, into file: MediaFile, timeLimit: Duration, kind: MediaFormat.Kind?) async
}

/// Makes outputs of a source. `App` conforms the pool of decoder processes to it.
package protocol AttachmentConverting: Sendable {
    /// Returns when nothing better will come; each output that is complete and checked is published on the way.
    ///
    /// At `deadline` the decoder is stopped, whatever it does. When a decoder is free, `rungs` says which are worth
    /// trying in the time that is left then, if any is.
    ///
    /// - Returns: How long the decoder worked; what it waited for is not in it.
    func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: @escaping @Sendable () -> Set<Rung>,
        until deadline: Instant,
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
}

extension AttachmentStoring {
    package var cost: Duration { .zero }
    package var refusal: AttachmentFailure? { nil }
}

/// A file of the store.
package struct StoredAttachment: Sendable, Equatable {
    /// The store's own name for it: random, and safe in a path and in a URL.
    package var identifier: String
    package var url: String
    /// Another URL of the file with fewer bytes, if it has one.
    package var shortURL: String?
    package var sha256: String

    package init(identifier: String, url: String, shortURL: String? = nil, sha256: String) {
        self.identifier = identifier
        self.url = url
        self.shortURL = shortURL
        self.sha256 = sha256
    }
}
