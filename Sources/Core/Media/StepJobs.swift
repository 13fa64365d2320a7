package import Base

/// The download of one source: the file that receives the bytes, the deadline, and the receiver of events.
package struct DownloadJob: Sendable {
    package var source: Source
    /// The file that receives the bytes. The download ends it as whole or cut; the reason of a failure is the file's
    /// ending.
    package var file: MediaFile
    /// The deadline of the callers. The download does not wait for an origin that cannot be asked before it.
    package var deadline: Deadline
    /// The longest time for all requests together, however far the deadline moves away.
    package var timeLimit: Duration
    /// The kind of media that the sender announced, if any. Of video and sound, the beginning is fetched first.
    package var kind: MediaFormat.Kind?
    /// The version that is known already. A source that is still this version is not fetched: its file is cut with no
    /// bytes.
    package var known: SourceValidators?
    /// Receives the head of each answer.
    package var onEvent: ProgressEvent.Receiver

    package init(
        _ source: Source,
        into file: MediaFile,
        deadline: Deadline,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        unless known: SourceValidators? = nil,
        onEvent: @escaping ProgressEvent.Receiver = { _ in },
    ) {
        self.source = source
        self.file = file
        self.deadline = deadline
        self.timeLimit = timeLimit
        self.kind = kind
        self.known = known
        self.onEvent = onEvent
    }
}

/// The conversion of one source: its bytes, the wanted outputs, the deadline, and the receiver of events.
package struct ConversionJob: Sendable {
    /// The source, which may still grow. Once it ends, the decoder uses the bytes that are there.
    package var file: MediaFile
    package var request: ConversionRequest
    /// The deadline of the callers. The soonest decides how urgent the job is; at the latest the decoder is stopped,
    /// whatever it does.
    package var deadline: Deadline
    /// Returns the rungs worth trying in the time left, and none if the time is too short. Called when a decoder is
    /// free. `nil` tries all rungs of `request`.
    package var worthwhileRungs: (@Sendable () -> Set<Rung>)?
    /// Receives the description of the source, the outputs, and the thumbnail.
    package var onEvent: ProgressEvent.Receiver

    package init(
        of file: MediaFile,
        as request: ConversionRequest,
        deadline: Deadline,
        worthwhileRungs: (@Sendable () -> Set<Rung>)? = nil,
        onEvent: @escaping ProgressEvent.Receiver,
    ) {
        self.file = file
        self.request = request
        self.deadline = deadline
        self.worthwhileRungs = worthwhileRungs
        self.onEvent = onEvent
    }
}

// MARK: - Events

/// An event in the work on one attachment, in the order in which a source becomes a file.
///
/// Every step reports to the receiver that it was given with its job. It calls the receiver at once, on its own thread:
/// events keep their order, and none is on its way when time is up. So the receiver must not wait.
package enum ProgressEvent: Sendable {
    /// The origin has answered. No byte of that answer is in the file yet.
    case head(SourceHead)
    /// The origin does not have the source yet, and is asked again in a moment. The event comes again each time.
    case missing(AttachmentFailure)
    /// The first bytes tell the source's format.
    case recognized(MediaFormat)
    /// A decoder process has the job since this time. Before, the job waited for one.
    case decoding(since: Instant)
    /// The decoder has read the source's header. The event comes before any output, and comes again if the decoding had
    /// to begin again.
    case described(SourceReport)
    /// These bytes of the source are there.
    case fetched(SourceContents)
    /// An output is complete and checked. A later one is better.
    case output(ReadyRung)
    /// An output of the bytes so far is complete and checked, for callers whose deadline comes first.
    case earlyOutput(ReadyRung)
    /// The thumbnail is complete and checked: a JPEG.
    case thumbnail([UInt8])
    /// All outputs of the whole source that the request allows are there.
    case converted(ConversionRequest, isHurried: Bool)
    /// The last byte that was needed of the source arrived at this time.
    case downloaded(at: Instant)
    /// The work failed. Earlier outputs remain valid.
    case failed(AttachmentFailure)

    package typealias Receiver = @Sendable (ProgressEvent) -> Void
}

// MARK: - Stored files

/// A file of the store.
package struct StoredFile: Sendable, Equatable {
    /// The file's name in the store: a keyed hash of its content and an extension, safe in a path and in a URL.
    package var identifier: String
    package var url: String
    /// Another URL of the file with fewer bytes, if there is one.
    package var shortURL: String?
    /// The file's SHA-256 in hexadecimal digits; `nil` if the store does not tell it.
    package var sha256: String?
    /// A Boolean value that indicates whether the URL is for results only: it leads to this machine's disk, and no phone
    /// could fetch it.
    package var isLocal: Bool

    package init(
        identifier: String,
        url: String,
        shortURL: String? = nil,
        sha256: String? = nil,
        isLocal: Bool = false,
    ) {
        self.identifier = identifier
        self.url = url
        self.shortURL = shortURL
        self.sha256 = sha256
        self.isLocal = isLocal
    }
}
