import Base
import CCurl
package import Media

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
    /// A Boolean value that indicates whether the request has content or credentials for its server alone.
    package var isConfidential = false
    /// The access that only this request and its like have to a connection.
    package var access: ConnectionAccess?
    /// The addresses of the host, best first; empty if the host is an address.
    package var addresses: [IPAddress] = []
    package var timeLimit: Duration = .zero
    /// The permit of the request. Others have it while the receiver pauses, and it may end before the transfer does.
    package var permit: OriginPermit?

    package init(url: DownloadURL, askedHost: String? = nil) {
        self.url = url
        self.askedHost = askedHost ?? url.host
    }

    /// A Boolean value that indicates whether the host's last addresses may be used when new ones are late. They may belong
    /// to somebody else now, who then gets no secret: a certificate proves who the server is.
    var mayUseLastAddresses: Bool { url.scheme == "https" || !isConfidential }

    /// The name of the other side in messages.
    package var origin: String { isRedirected ? "\(askedHost) (after a redirect)" : askedHost }
}

/// An access that concerns the connection. Connections with it serve nothing else.
package struct ConnectionAccess: Sendable {
    /// The name of the rule that gives the access.
    package var name: String
    /// The addresses to which the request may connect; `nil` for all addresses that the client allows.
    package var policy: AddressPolicy?
    /// The only addresses to which the request connects; if empty, the addresses of the host's name.
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
    /// The target of a redirect as the server sent it; `nil` if the answer is not a redirect.
    package var location: String?
    /// The pause that the server asks for.
    package var retryAfter: Duration?
    /// A Boolean value that indicates whether the server was reached, so that it has the request.
    package var isConnected = false
    /// The bytes of the body as they came over the network.
    package var fetchedByteCount = 0
    /// A Boolean value that indicates whether bytes of the body came until the end.
    package var isFlowing = false
    /// A Boolean value that indicates whether the request ended early because others waited.
    package var wasPreempted = false
    /// A Boolean value that indicates whether the peer kept the thread of its site busy, so that it was cut off.
    package var isHeld = false
    /// A Boolean value that indicates whether the client or the receiver found the failure, not libcurl.
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
    /// A Boolean value that indicates whether no caller needs the answer any more.
    var isOver: Bool { get }
    /// A Boolean value that indicates whether the receiver changes what it wants while the answer comes.
    var hasWishes: Bool { get }

    /// Returns when no caller needs the answer any more, or when the task is cancelled. Calls `onChange` after each change
    /// that concerns the transfer.
    func observeWishes(_ onChange: @escaping @Sendable () -> Void) async

    /// Returns whether the body of an answer with this status is read.
    func reads(status: Int) -> Bool

    /// Receives the head of the answer, once: before the first byte of its body or, without one, at its end.
    func receive(_ head: AnswerHead) -> Reception

    /// Returns whether the next bytes of the body, `byteCount` or fewer, may come. A paused transfer asks again after
    /// `resumption`.
    func makeRoom(for byteCount: Int) -> Reception

    /// Receives the next bytes of the body, for which there is room.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception

    /// Returns what to do after a change of the receiver's wishes: `.taken` also ends a pause.
    func resumption() -> Reception
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
    package func observeWishes(_ onChange: @escaping @Sendable () -> Void) async {}
    package func makeRoom(for byteCount: Int) -> Reception { .taken }
    package func resumption() -> Reception { .taken }
}

// MARK: - Heads

/// The status line and headers of an answer. All of them are claims.
package struct AnswerHead: Sendable, Equatable {
    package var status: Int
    package var contentType: String?
    package var contentLength: Int?
    package var contentRange: String?
    package var contentEncoding: String?
    package var acceptRanges: String?
    package var entityTag: String?
    package var lastModified: String?
    package var date: String?
    package var cacheControl: String?
    package var expires: String?
    package var age: String?
    package var vary: String?
    /// The values of the `Set-Cookie` fields, as far as they are read.
    package var cookies: [String] = []
    /// The time that the connection took, with name and TLS handshake; `nil` if an earlier one served again.
    package var connectTime: Duration?

    package init(status: Int) { self.status = status }

    /// A Boolean value that indicates whether the status asks for the same with another URL (RFC 9110, section 15.4).
    package var isRedirect: Bool { Self.isRedirect(status) }

    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The codings of the body, in their order. Words that are no registered coding (RFC 9110, section 8.4.1) leave the bytes as
    /// they are: buckets keep `aws-chunked`, and old servers write `none`, `utf-8` or a type (SECURITY N22).
    package var codings: [String] {
        guard let contentEncoding else { return [] }
        return contentEncoding.lowercased().split { ", \t".contains($0) }.map(String.init).filter(
            Self.registered.contains
        )
    }

    private static let registered: Set = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"]

    /// A Boolean value that indicates whether the body's bytes are coded.
    package var isEncoded: Bool { !codings.isEmpty }

    package var acceptsByteRanges: Bool { acceptRanges?.lowercased() == "bytes" }

    /// A Boolean value that indicates whether the origin declares the source as a picture, all of which is needed.
    package var declaresPicture: Bool { contentType?.lowercased().hasPrefix("image/") == true }

    /// A Boolean value that indicates whether the origin declares the source as video or sound, of which a clip may be
    /// enough.
    package var declaresClip: Bool {
        let type = contentType?.lowercased() ?? ""
        return type.hasPrefix("video/") || type.hasPrefix("audio/")
    }
}

// MARK: - Failures in words

/// Failures in words. They name the host of the download and nothing that an origin sent.
extension HTTPRequest {
    func refused(_ refusal: AddressRefusal) -> AttachmentFailure { unreachable("\(refusal)") }

    /// Returns one failure for two causes. Callers must not learn which names an internal DNS knows, so a host without
    /// an address and a host whose addresses may not be fetched from fail alike (SECURITY N11).
    func unreachable(_ refusal: String?) -> AttachmentFailure {
        var failure = failure(
            .refusedAddress,
            "\(origin) has no address from which attachd may download. If its address is private, see --allow-address.",
        )
        failure.concealedCause = AttachmentFailure.ConcealedCause(host: url.host, refusal: refusal)
        return failure
    }

    func headersTooLarge(limit: Int, _ lineLimit: Int) -> AttachmentFailure {
        failure(.tooLarge, "The headers of \(origin) are larger than \(limit) bytes, or more than \(lineLimit) lines.")
    }

    func stalled(_ rule: StallRule) -> AttachmentFailure {
        let amount = rule.byteCount == 1 ? "1 byte" : "\(rule.byteCount) bytes"
        return failure(.stalled, "\(origin) sent less than \(amount) in \(rule.window).")
    }

    package func unexpectedStatus(_ status: Int) -> AttachmentFailure {
        let advice =
            status == 403 && access == nil && signature == nil
            ? " Some sites ask that --contact names who fetches from them." : ""
        return failure(.httpStatus, "\(origin) answered with HTTP status \(status) instead of 200.\(advice)")
    }

    /// Returns the failure for an origin that contradicts the request or itself. `lie` says what it did.
    package func lied(_ lie: String) -> AttachmentFailure { failure(.originLied, "\(origin) \(lie).") }

    /// Returns the failure for a peer that kept its thread busy with what carries no data.
    func held() -> AttachmentFailure {
        failure(.originLied, "\(origin) kept the worker busy without sending data, so its connections were cut off.")
    }

    func heldBefore(until end: Instant, now: Instant) -> AttachmentFailure {
        let seconds = max(1, ((end - now).milliseconds + 999) / 1000)
        return failure(
            .originUnavailable,
            "\(origin) kept the worker busy without sending data. Requests to it are paused for another \(seconds) s.",
        )
    }

    /// Returns the failure for a name that could not be resolved in time.
    func unresolved(_ settings: HTTPSettings) -> AttachmentFailure { unreached(within: settings.connectTimeout) }

    private func unreached(within limit: Duration) -> AttachmentFailure {
        failure(.connectionFailed, "\(origin) could not be reached within \(limit).\(ProxyVariable.remark)")
    }

    package func truncated() -> AttachmentFailure {
        failure(.truncated, "The connection to \(origin) broke off before the last byte.")
    }

    package func timedOut() -> AttachmentFailure {
        failure(.timedOut, "The download from \(origin) did not finish in time.")
    }

    func wasPreempted(_ cause: Preemption) -> AttachmentFailure {
        switch cause {
        case .slow: failure(.timedOut, "\(origin) sends too slowly to finish in time, and other downloads waited.")
        case .ending: failure(.workerStopped, "The worker is shutting down and did not wait for \(origin).")
        case .share: failure(.timedOut, "\(origin) had more than its share of all downloads while others waited.")
        }
    }

    package func cancelled() -> AttachmentFailure { failure(.cancelled, "The download from \(origin) was stopped.") }

    /// Returns the failure that libcurl's `code` means. `hasBody` tells whether bytes of the body had come.
    func failure(
        _ code: CURLcode,
        isConnected: Bool,
        hasBody: Bool,
        lacksIssuer: Bool,
        connectTimeout: Duration,
    ) -> AttachmentFailure {
        switch code {
        case CURLE_URL_MALFORMAT: failure(.invalidURL, "The host name of \(origin) cannot be used.")
        case CURLE_COULDNT_RESOLVE_HOST: unreachable(nil)
        case CURLE_OPERATION_TIMEDOUT where !isConnected && connectTimeout < timeLimit:
            unreached(within: connectTimeout)
        case CURLE_OPERATION_TIMEDOUT: timedOut()
        case CURLE_SSL_CACERT_BADFILE: failure(.tlsFailed, "The file of certificate authorities cannot be read.")
        case CURLE_PEER_FAILED_VERIFICATION where lacksIssuer:
            failure(
                .tlsFailed,
                "The certificate of \(origin) is not trusted: its issuer is unknown. Either the origin does not send its "
                    + "intermediate certificate, or its authority must be in the file of --ca-file.",
            )
        case CURLE_PEER_FAILED_VERIFICATION: failure(.tlsFailed, "The certificate of \(origin) is not trusted.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR:
            failure(.tlsFailed, "The TLS handshake with \(origin) failed. The origin needs TLS 1.2 or newer.")
        case CURLE_SSL_CLIENTCERT, CURLE_SSL_CERTPROBLEM:
            failure(.tlsFailed, "\(origin) wants a client certificate, and there is none that it accepts.")
        case CURLE_OUT_OF_MEMORY: failure(.resourceLimit, "The worker has no memory for the download from \(origin).")
        case _ where hasBody: truncated()
        default:
            failure(
                .connectionFailed,
                "\(origin) did not answer: the connection failed with libcurl error \(code.rawValue).\(ProxyVariable.remark)",
            )
        }
    }

    package func failure(_ reason: AttachmentFailure.Reason, _ message: String) -> AttachmentFailure {
        AttachmentFailure(.download, reason, message)
    }
}
