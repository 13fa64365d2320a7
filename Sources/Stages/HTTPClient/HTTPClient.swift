package import Base
package import Media
import Synchronization

/// A client for HTTP/1.1 that does not follow redirects: each request is checked and counted separately.
///
/// A malicious peer delays only requests to its own site (SECURITY N14): each site has its own thread while it has
/// transfers.
package final class HTTPClient: Sendable {
    package let settings: HTTPSettings
    package let time: any TimeSource
    private let loops: TransferLoops
    /// The limiter for answers that are posted to callbacks. They don't wait for downloads, nor downloads for them.
    private let callbackLimiter: OriginLimiter
    private let recorder: any EventRecorder<OriginEvent>

    package init(
        settings: HTTPSettings,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<OriginEvent> = NoRecorder<OriginEvent>(),
    ) {
        self.settings = settings
        self.time = time
        self.recorder = recorder
        loops = TransferLoops(settings: settings, time: time) { recorder.record(.cutOff(host: $0)) }
        callbackLimiter = OriginLimiter(.callbacks, time: time, recorder: NoRecorder<OriginEvent>())
        LoopWatch.begin()
    }

    deinit { stop() }

    /// The names of the sites from which an answer has come, for the next start.
    package var knownSites: [String] {
        get { loops.knownSites.map(\.name) }
        set { loops.knownSites = newValue.map { Site(name: $0) } }
    }

    /// Cancels the running requests and refuses later ones.
    package func stop() { loops.stop() }

    /// The numbers of threads with transfers, and of threads that keep connections for later transfers.
    package var threadCounts: (working: Int, idle: Int) { loops.counts }

    /// Returns the reason why a callback's URL can never be called, or `nil` if it may be.
    package func refusal(ofCallback url: String) -> String? { CallbackURL.refusal(of: url, settings.addresses) }

    /// Returns the request with the addresses of its host. Throws if the name has no address, or the lookup takes too long.
    package func resolved(_ request: HTTPRequest, until deadline: Instant) async throws(AttachmentFailure)
        -> HTTPRequest
    {
        var request = request
        if let access = request.access, !access.addresses.isEmpty {
            request.addresses = access.addresses
        } else if let addresses = settings.resolve?(request.url.host) {
            request.addresses = addresses
        } else if IPAddress(request.url.host) == nil {
            request.addresses = try await addresses(for: request, until: deadline)
        }
        return request
    }

    private func addresses(for request: HTTPRequest, until deadline: Instant) async throws(AttachmentFailure)
        -> [IPAddress]
    {
        let latest = min(deadline, time.now + settings.connectTimeout)
        do throws(ResolverError) {
            return try await settings.resolver.addresses(
                of: request.url.host,
                for: request.url.site.name,
                until: latest,
                mayUseLast: request.mayUseLastAddresses,
            )
        } catch {
            switch error {
            case .notFound, .failed: throw request.unreachable(nil)
            case .timedOut, .busy: throw latest == deadline ? request.timedOut() : request.unresolved(settings)
            case .cancelled: throw request.cancelled()
            }
        }
    }

    /// Makes the request, whose host is resolved, in the time that is left, if there is any. Returns when it is done: at once
    /// if the task is cancelled or the receiver has no more use for the answer.
    package func run(
        _ request: HTTPRequest,
        for receiver: any AnswerReceiver,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> HTTPResult {
        guard time.now < deadline else { throw request.timedOut() }
        return await loops.run(request, receiver, until: deadline)
    }

    /// Reports to the operator the cause that the caller must not learn.
    package func reportConcealedCause(of failure: AttachmentFailure?) {
        guard let failure, let cause = failure.concealedCause else { return }
        recorder.record(failure.reason == .refusedAddress ? .refusedHost(cause) : .lackedCredentials(cause))
    }
}

// MARK: - Messages

/// A server's answer to a message.
package struct MessageAnswer: Sendable, Equatable {
    package var status: Int
    /// The body of an answer with status 200, or of the answer to a signed message. Empty otherwise.
    package var body: [UInt8]
    /// The reason why the body of an answer with status 200 is not whole, or `nil` if it is.
    package var failure: AttachmentFailure?
}

/// The reason why an answer was not posted to its callback.
package enum CallbackAddressError: Error, Sendable, Equatable {
    case failed(AttachmentFailure)
    /// The server is busy or its requests are paused. No request was made, and the next must not be made before
    /// `after`.
    case notNow(AttachmentFailure, after: Duration)
}

extension HTTPClient {
    /// The most bytes of an answer's body that are read.
    private static let answerByteLimit = 1_000_000
    /// The most bytes of the answer to a post. Only its status counts, and hundreds of servers may answer at once.
    private static let postedByteLimit = 16_384

    /// Sends a message under the same rules as every request, above all those for addresses. Redirects are not
    /// followed. Throws the reason if there is no answer.
    ///
    /// The request is made at once. The caller decides when to send again, and a message that is refused here may be
    /// its last.
    package func send(
        _ message: OutgoingMessage,
        to url: String,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> MessageAnswer {
        try await send(message, to: try Self.parsed(url), until: deadline)
    }

    /// Sends a message with the access of a rule.
    package func send(
        _ message: OutgoingMessage,
        to url: DownloadURL,
        with access: ConnectionAccess? = nil,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> MessageAnswer {
        var request = HTTPRequest(message, to: url)
        request.access = access
        return try await answer(to: try await resolved(request, until: deadline), until: deadline).answer
    }

    /// Posts one of many answers that go to any number of servers, none of which delays the others. The caller may have
    /// to try again later: the post is refused while its server is busy, and ends early if it takes long while others
    /// wait.
    package func post(
        _ message: OutgoingMessage,
        to url: String,
        until deadline: Instant,
    ) async throws(CallbackAddressError) -> MessageAnswer {
        let unresolved: HTTPRequest
        do throws(AttachmentFailure) {
            unresolved = HTTPRequest(message, to: try Self.parsed(url))
        } catch {
            throw .failed(error)
        }
        let resolved: Result<HTTPRequest, AttachmentFailure>
        do throws(AttachmentFailure) {
            resolved = .success(try await self.resolved(unresolved, until: deadline))
        } catch {
            resolved = .failure(error)
        }
        let permit: OriginPermit
        do throws(OriginLimitError) {
            permit = try await callbackLimiter.enter(callbackLimiter.rule.origin(of: unresolved.url), until: deadline)
        } catch {
            let now = time.now
            throw .notNow(error.failure(of: unresolved.url.host, at: now), after: error.pause(at: now))
        }
        var request: HTTPRequest
        do throws(AttachmentFailure) {
            request = try resolved.get()
        } catch {
            reportConcealedCause(of: error)
            permit.leave(HTTPResult(failure: error).outcome(hadTime: true, isOver: false))
            throw .failed(error)
        }
        request.permit = permit
        do throws(AttachmentFailure) {
            let (answer, result) = try await answer(to: request, within: Self.postedByteLimit, until: deadline)
            if answer.status < 500, answer.status != 429 { permit.answered() }
            permit.leave(result.outcome(hadTime: true, isOver: false))
            return answer
        } catch {
            // The transfer has returned the permit with its outcome.
            throw .failed(error)
        }
    }

    private func answer(
        to request: HTTPRequest,
        within byteLimit: Int = answerByteLimit,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> (answer: MessageAnswer, result: HTTPResult) {
        let body = MessageBody(of: request, byteLimit: byteLimit)
        var result = try await run(request, for: body, until: deadline)
        reportConcealedCause(of: result.failure)
        guard let status = result.status, !result.isHeld else {
            request.permit?.leave(result.outcome(hadTime: true, isOver: false))
            throw result.failure ?? request.cancelled()
        }
        if status != 200, !result.wasStopped { result.failure = request.unexpectedStatus(status) }
        return (MessageAnswer(status: status, body: body.bytes, failure: status == 200 ? result.failure : nil), result)
    }

    private static func parsed(_ url: String) throws(AttachmentFailure) -> DownloadURL {
        do throws(DownloadURL.ParseError) {
            return try DownloadURL(url)
        } catch {
            throw error.failure(redirectedBy: nil)
        }
    }
}

extension HTTPRequest {
    /// Creates the request that sends a message.
    fileprivate init(_ message: OutgoingMessage, to url: DownloadURL) {
        self.init(url: url)
        isConfidential = true
        action = message.action
        headerFields = message.headerFields
        signature = message.signature
        // libcurl would sign the fields, and proxies of some stores change them on the way. Without an empty "Expect:", libcurl
        // waits for a server's "100 Continue" before it sends a larger body.
        if message.signature == nil { headerFields += ["Accept-Encoding: identity", "Expect:"] }
    }
}

/// The body of the answer to a message: kept if the message succeeded, or if it explains why the operator's own server refuses a
/// signed one.
private final class MessageBody: AnswerReceiver {
    private let request: HTTPRequest
    private let byteLimit: Int
    private let content = Mutex<[UInt8]>([])
    private static let codingLie = "sent an encoded answer (Content-Encoding) although none was requested"

    init(of request: HTTPRequest, byteLimit: Int) {
        self.request = request
        self.byteLimit = byteLimit
    }

    var bytes: [UInt8] { content.withLock(\.self) }

    func reads(status: Int) -> Bool { status == 200 || status == 206 || request.signature != nil }

    func receive(_ head: AnswerHead) -> Reception {
        // Only a source's coding is undone.
        if head.isEncoded, reads(status: head.status) { return .stopped(request.lied(Self.codingLie)) }
        return request.signature != nil || head.status == 200 ? .taken : .stopped(nil)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        content.withLock { content in
            guard content.count + bytes.count <= byteLimit else {
                return .stopped(request.failure(.tooLarge, "The answer of \(request.origin) is too long."))
            }
            unsafe content.append(contentsOf: bytes)
            return .taken
        }
    }
}

// MARK: - Settings

/// The settings of all requests of one client. They are read once.
package struct HTTPSettings: Sendable {
    /// The name of the threads on which the transfers run, for logs and `top -H`.
    package var name = "downloads"
    package var addresses = AddressPolicy()
    /// The time limit for connection and TLS handshake together, and another one for the name. The request's own time
    /// limit holds as well.
    package var connectTimeout: Duration = .seconds(5)
    package var stall = StallRule()
    /// The time within which a request must have received bytes to count as making progress.
    package var fairTime: Duration = .seconds(1)
    /// The most bytes of all headers of one answer together.
    package var headerByteLimit = 65_536
    /// The most lines of one answer's head. libcurl searches all of them for each field that is read.
    package var headerLineLimit = 256
    /// The path of a PEM file with certificate authorities to trust in addition to the system's.
    package var authoritiesFile: String?
    package var userAgent = "attachd"
    package var resolver = NameResolver.ofThisProcess
    /// A function that replaces the resolver for some hosts, for tests; `nil` from it leaves the name to the resolver.
    package var resolve: (@Sendable (_ host: String) -> [IPAddress]?)?

    package init() {}
}
