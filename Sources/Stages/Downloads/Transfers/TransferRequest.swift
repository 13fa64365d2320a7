import Media

/// One request of a download: the first, or the one after a redirect.
struct TransferRequest: Sendable {
    var url: DownloadURL
    /// The host of the download as given. Messages name it alone, never the target of a redirect.
    var askedHost: String
    var isRedirected = false
    /// The rule with whose access the request is made, or `nil` for none.
    var rule: AccessRule?
    /// The secrets of that rule.
    var credentials: RequestCredentials?
    /// The file that receives the source's bytes.
    var file: MediaFile
    var timeLimit: Duration = .zero
    /// The requested range; `nil` asks for all, in order.
    var range: Range<Int>?
    /// The message to send; `nil` asks for a source.
    var message: OutgoingMessage?
    /// The version of the parts that are there already; `nil` for the first.
    var version: SourceVersion?
    /// The known version. The source is sent only if it is another one.
    var known: SourceValidators?
    /// Receives the answer's head on the loop's thread, before any byte of its body is in the file.
    var onHead: (@Sendable (AnswerHead) -> Void)?

    /// The permit of the request. It ends when the origin has no more to do for the request, even before the transfer
    /// ends.
    var permit: OriginPermit?

    /// The signature of the request, if it needs one.
    var signature: SignatureV4? { credentials?.signature ?? message?.signature }

    /// The name of the other side in messages.
    var origin: String { isRedirected ? "\(askedHost) (after a redirect)" : askedHost }
}

/// The result of one request.
struct TransferResult: Sendable {
    var status: Int?
    /// The media type as the origin sent it.
    var contentType: String?
    /// The target of a redirect as the origin sent it; `nil` if the answer is not a redirect.
    var location: String?
    /// The pause that the origin asks for.
    var retryAfter: Duration?
    /// A Boolean value that indicates whether the origin was reached, so that it has the request.
    var isConnected = false
    /// The number of requests that were made for it.
    var requestCount = 1
    /// The bytes of the body as they came over the network.
    var fetchedByteCount = 0
    /// A Boolean value that indicates whether bytes of the source came until the end.
    var isFlowing = false
    /// A Boolean value that indicates whether the request ended early because others waited.
    var wasPreempted = false
    /// The version that further parts must have, where the origin answers ranges.
    var version: SourceVersion?
    /// A Boolean value that indicates whether the origin refused a requested range.
    var isRangeRefused = false
    /// A Boolean value that indicates whether the source is the known version.
    var isUnchanged = false
    var failure: AttachmentFailure?
}
