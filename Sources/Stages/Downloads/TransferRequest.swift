import Media

/// One request of a download: the first, or the one after a redirect.
struct TransferRequest: Sendable {
    var url: DownloadURL
    /// The host that the download was asked for. Messages name it alone, never where it redirects to.
    var askedHost: String
    var isRedirected = false
    /// Receives the source's bytes.
    var file: MediaFile
    var timeLimit: Duration = .zero
    /// The part that is asked for; `nil` asks for all, in order.
    var range: Range<Int>?
    /// What is sent; `nil` asks for a source.
    var message: OutgoingMessage?
    /// That of the parts which are there already; `nil` for the first.
    var version: SourceVersion?
    /// Asks for the source only if it is another version than this.
    var known: SourceValidators?
    /// Called on the loop's thread with the answer's head, before any byte of its body is in the file.
    var onHead: (@Sendable (AnswerHead) -> Void)?

    /// The right to make it. It ends when the origin has no more to do for it, be the transfer at its end or not.
    var place: OriginPlace?

    /// What a message calls the other side.
    var origin: String { isRedirected ? "\(askedHost) (after a redirect)" : askedHost }
}

/// What came of one request.
struct TransferResult: Sendable {
    var status: Int?
    /// As the origin sent it.
    var contentType: String?
    /// Where a redirect leads, as the origin sent it; `nil` when the answer is none.
    var location: String?
    /// For how long the origin asks to be left alone.
    var retryAfter: Duration?
    /// Whether the origin was reached, so that it has the request.
    var isConnected = false
    /// How many requests were made for it.
    var requestCount = 1
    /// Bytes of the body as they came over the network.
    var fetchedByteCount = 0
    /// Whether bytes of the source came until its end.
    var isFlowing = false
    /// Whether it ended early because others waited.
    var gaveWay = false
    /// What further parts have to be of, where the origin has them.
    var version: SourceVersion?
    /// Whether a range was asked for and could not be had.
    var isRangeRefused = false
    /// Whether the source is the version that is known.
    var isUnchanged = false
    var failure: AttachmentFailure?
}
