package import Media
package import Names
import Timing

/// One request: the first of a download, the one after a redirect, or a message.
package struct HTTPRequest: Sendable {
    package var url: DownloadURL
    /// The host as given. Messages name it alone, never the target of a redirect.
    package var askedHost: String
    package var isRedirected = false
    package var action = OutgoingMessage.Action.get
    /// The lines of the header fields beside libcurl's own.
    package var headerFields: [String] = []
    /// The requested range, unless a header field has it because it is signed.
    package var range: Range<Int>?
    /// The signature of the request, if it needs one.
    package var signature: SignatureV4?
    /// The access that only this request and its like have to a connection.
    package var access: ConnectionAccess?
    /// The addresses of the host, best first; none for a host that is an address.
    package var addresses: [IPAddress] = []
    package var timeLimit: Duration = .zero
    /// The permit of the request. It ends when the server has no more to do for the request, even before the transfer
    /// ends.
    package var permit: OriginPermit?

    package init(url: DownloadURL, askedHost: String? = nil) {
        self.url = url
        self.askedHost = askedHost ?? url.host
    }

    /// The name of the other side in messages.
    package var origin: String { isRedirected ? "\(askedHost) (after a redirect)" : askedHost }
}

/// An access that concerns the connection. Connections with it serve nothing else.
package struct ConnectionAccess: Sendable {
    /// The name of the rule that gives the access.
    package var name: String
    /// The addresses that may be dialled; `nil` for those that the client may dial.
    package var policy: AddressPolicy?
    /// The only addresses that are dialled; with none, those of the host's name.
    package var addresses: [IPAddress]
    /// The certificate that proves to the server who asks.
    package var certificate: ClientCertificate?

    package init(
        name: String,
        policy: AddressPolicy? = nil,
        addresses: [IPAddress] = [],
        certificate: ClientCertificate? = nil,
    ) {
        self.name = name
        self.policy = policy
        self.addresses = addresses
        self.certificate = certificate
    }
}

/// The result of one request.
package struct HTTPResult: Sendable {
    package var status: Int?
    /// The media type as the server sent it.
    package var contentType: String?
    /// The target of a redirect as the server sent it; `nil` if the answer is not a redirect.
    package var location: String?
    /// The pause that the server asks for.
    package var retryAfter: Duration?
    /// A Boolean value that indicates whether the server was reached, so that it has the request.
    package var isConnected = false
    /// The number of requests that were made for it.
    package var requestCount = 1
    /// The bytes of the body as they came over the network.
    package var fetchedByteCount = 0
    /// A Boolean value that indicates whether bytes of the body came until the end.
    package var isFlowing = false
    /// A Boolean value that indicates whether the request ended early because others waited.
    package var wasPreempted = false
    /// A Boolean value that indicates whether the peer kept the thread of its site busy, so that it was cut off.
    package var isHeld = false
    /// A Boolean value that indicates whether the failure is one that the client or the receiver found, not libcurl.
    package var wasStopped = false
    package var failure: AttachmentFailure?

    package init(status: Int? = nil, failure: AttachmentFailure? = nil) {
        self.status = status
        self.failure = failure
    }

    static let cancelled = HTTPResult(failure: AttachmentFailure(.download, .cancelled, "The request was stopped."))

    static let held = {
        var result = HTTPResult()
        result.isHeld = true
        return result
    }()
}

/// The use that is made of one answer. The loop's thread calls it, in this order: the head, then the bytes of its body.
package protocol AnswerReceiver: AnyObject, Sendable {
    /// A Boolean value that indicates whether the answer is of no use any more.
    var isOver: Bool { get }
    /// A Boolean value that indicates whether the receiver changes what it wants while the answer comes.
    var hasWishes: Bool { get }

    /// Returns when the answer is of no use any more, or the task is cancelled. Calls `look` after each change that the
    /// transfer has to look at.
    func followWishes(_ look: @Sendable () -> Void) async

    /// Returns whether the body of an answer with this status is read.
    func reads(status: Int) -> Bool

    /// Receives the head of the answer, once: before the first byte of its body or, without one, at its end.
    func receive(_ head: AnswerHead) -> Reception

    /// Returns whether the next bytes of the body, `byteCount` or fewer, may come. A paused transfer asks again after
    /// `goesOn`.
    func makeRoom(for byteCount: Int) -> Reception

    /// Receives the next bytes of the body, for which there is room.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception

    /// Returns what to do after a change of the receiver's wishes: `.taken` also ends a pause.
    func goesOn() -> Reception
}

/// The decision of a receiver.
package enum Reception: Sendable, Equatable {
    case taken
    /// The transfer pauses. The server is idle meanwhile, so others may have its permit.
    case paused
    /// The transfer ends, with the reason if there is one.
    case stopped(AttachmentFailure?)
}

extension AnswerReceiver {
    package var isOver: Bool { false }
    package var hasWishes: Bool { false }
    package func followWishes(_ look: @Sendable () -> Void) async {}
    package func makeRoom(for byteCount: Int) -> Reception { .taken }
    package func goesOn() -> Reception { .taken }
}
