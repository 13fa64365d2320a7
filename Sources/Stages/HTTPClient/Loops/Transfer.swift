import Base
import CCurl
import Glibc
import Media

/// One request on a libcurl easy handle. It belongs to the loop's thread.
@safe
final class Transfer {
    /// The size in bytes up to which a redirect's body is read and dropped, which keeps the connection. A longer one is
    /// cut off.
    private static let droppedByteLimit = 16_384
    /// The size in bytes from which a piece of a body is passed on separately. Smaller pieces are collected up to this size or
    /// the end of the turn, because libcurl calls back for each chunk, even for tiny ones (SECURITY N16).
    private static let pieceByteCount = 4096
    private static let gatheredByteLimit = 16_384

    private static let reportTime: Duration = .milliseconds(100)

    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let receiver: any AnswerReceiver
    private let settings: HTTPSettings
    private let sockets: LoopSockets
    private let authorities: TrustStore.Authorities?
    private let time: any TimeSource
    private var stallWatch: StallWatch?
    private var pinnedNames: UnsafeMutablePointer<curl_slist>?
    private var headers: UnsafeMutablePointer<curl_slist>?

    /// The use of the body, once the head is known.
    private var bodyUse: Reception?
    private var isPaused = false
    private var headerByteCount = 0
    private var headerLineCount = 0
    private var bodyByteCount = 0
    /// The bytes that are not handed on yet, and how many further ones may come before the receiver is asked again.
    private var gathered: [UInt8] = []
    private var room = 0
    /// The number of bytes since the loop counted them.
    private var newByteCount = 0
    /// The time of the last bytes of the body.
    private var lastBytes: Instant?
    /// The time of the last progress report.
    private var lastReport: Instant?
    /// A Boolean value that indicates whether the transfer ended early because others waited.
    private var wasPreempted = false
    /// The offset of the next byte to send.
    private var sendOffset = 0
    /// The number of bytes sent. Sending also shows that the connection is alive.
    private var sentByteCount = 0
    /// The last address that was refused. libcurl goes on to the name's next one.
    private var refusal: AddressRefusal?
    /// The reason why a callback, or the loop, stopped the transfer.
    private var stopped: AttachmentFailure?

    /// Creates a transfer. The handle's `CURLOPT_PRIVATE` is `id`.
    init(
        _ request: HTTPRequest,
        _ receiver: any AnswerReceiver,
        _ settings: HTTPSettings,
        _ sockets: LoopSockets,
        _ authorities: TrustStore.Authorities?,
        id: UInt,
        time: any TimeSource,
    ) throws(AttachmentFailure) {
        guard let handle = unsafe curl_easy_init() else {
            throw AttachmentFailure(.download, .resourceLimit, "The worker has no memory for another download.")
        }
        unsafe self.handle = handle
        self.request = request
        self.receiver = receiver
        self.settings = settings
        self.sockets = sockets
        self.authorities = authorities
        self.time = time
        let options = unsafe TransferOptions(handle: handle)
        options.set(request, settings, id: id)
        pinNames(options)
        for field in request.headerFields { unsafe headers = curl_slist_append(headers, field) }
        unsafe options.setHeaders(headers)
        if let authorities { unsafe options.setTrust(authorities.store) }
        // The handle's callbacks borrow this object, which owns the handle and frees it before itself. A connection outlives it,
        // and belongs to the loop, which outlives that.
        unsafe options.setCallbacks(Unmanaged.passUnretained(self).toOpaque())
        unsafe options.setSockets(Unmanaged.passUnretained(sockets).toOpaque())
        guard options.areAccepted else {
            throw AttachmentFailure(
                .download,
                .internalError,
                "libcurl lacks an option that downloads need. Install a newer libcurl.",
            )
        }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(pinnedNames)
        unsafe curl_slist_free_all(headers)
    }

    // MARK: - Callbacks from libcurl

    private var policy: AddressPolicy { request.access?.policy ?? settings.addresses }

    /// Opens the socket for an address that may be dialled. It is the very address that goes to `connect`: no name,
    /// notation or resolver can change it after this check.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let (family, type, number) = unsafe (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        guard let endpoint = unsafe Endpoint(address) else { return CURL_SOCKET_BAD }
        if let refusal = policy.refusal(of: endpoint.address, port: endpoint.port) {
            self.refusal = refusal
            return CURL_SOCKET_BAD
        }
        return sockets.open(family, type, number, to: endpoint.address)
    }

    /// Checks the address again, in case a kept connection is used and no socket was opened. `false` stops the
    /// transfer.
    func willSendRequest(to text: String, port: Int) -> Bool {
        guard let address = IPAddress(text) else { return false }
        if let refusal = policy.refusal(of: address, port: port) {
            stopped = request.refused(refusal)
            return false
        }
        stallWatch = StallWatch(settings.stall, now: time.now)
        return true
    }

    /// Receives a line of a head: an interim answer's, the answer's own, or a trailer. `false` stops the transfer
    /// before libcurl passes on, or decodes, any byte of a body.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerByteCount += line.count
        headerLineCount += 1
        guard headerByteCount <= settings.headerByteLimit, headerLineCount <= settings.headerLineLimit else {
            stopped = request.headersTooLarge(limit: settings.headerByteLimit, settings.headerLineLimit)
            return false
        }
        guard unsafe TransferCoding.isRefused(in: line) else { return true }
        stopped = request.lied(TransferCoding.lie)
        return false
    }

    /// Writes the next bytes to send into `buffer`. Returns how many: 0 at the end, `nil` if they cannot be read.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard case .put(let upload) = request.action, let count = unsafe upload.read(at: sendOffset, into: buffer)
        else { return nil }
        sendOffset += count
        sentByteCount += count
        newByteCount += count
        return count
    }

    /// Sends everything again: a kept connection broke off, and another one replaces it.
    func sendAgain(from offset: Int) { sendOffset = offset }

    /// Receives bytes of the body. If it returns `.paused`, libcurl offers the same bytes again after it has resumed.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let use = openedBody()
        guard use == .taken, !isRedirect else {
            bodyByteCount += bytes.count
            return stopped == nil && isRedirect && bodyByteCount <= Self.droppedByteLimit ? .taken : .stopped(stopped)
        }
        guard !isPaused else { return .paused }
        if room < bytes.count {
            if case .stopped(let failure) = handOn() { return .stopped(failure) }
            let step = max(bytes.count, Self.gatheredByteLimit)
            switch receiver.makeRoom(for: step) {
            case .taken: room = step
            case .paused:
                isPaused = true
                request.permit?.suspend()
                return .paused
            case .stopped(let failure):
                stopped = failure
                return .stopped(failure)
            }
        }
        room -= bytes.count
        bodyByteCount += bytes.count
        newByteCount += bytes.count
        if gathered.isEmpty, bytes.count >= Self.pieceByteCount { return unsafe handOn(bytes) }
        unsafe gathered.append(contentsOf: bytes)
        return gathered.count < Self.gatheredByteLimit ? .taken : handOn()
    }

    /// Returns the use of the body, determined at its first byte or, without one, at its end.
    private func openedBody() -> Reception {
        if let bodyUse { return bodyUse }
        guard let head else { return .stopped(nil) }
        let use = receiver.receive(head)
        bodyUse = use
        if case .stopped(let failure?) = use, !isRedirect { stopped = failure }
        if use == .taken, !isRedirect { request.permit?.answered() }
        return use
    }

    // MARK: - Calls from the loop

    private var passedByteCount: Int { headerByteCount + bodyByteCount + sentByteCount }

    /// Returns the number of bytes of the body, received or sent, since the last call.
    func takeNewByteCount() -> Int {
        defer { newByteCount = 0 }
        return newByteCount
    }

    /// Hands the gathered bytes to the receiver.
    func handOn() -> Reception {
        guard !gathered.isEmpty else { return .taken }
        defer { gathered.removeAll(keepingCapacity: true) }
        return unsafe gathered.withUnsafeBytes { unsafe handOn($0) }
    }

    private func handOn(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let reception = unsafe receiver.receive(bytes)
        if case .stopped(let failure) = reception { stopped = failure } else { reportProgress(at: time.now) }
        return reception
    }

    /// Reports the progress from time to time, for the choice between transfers.
    private func reportProgress(at now: Instant) {
        lastBytes = now
        guard let permit = request.permit, lastReport.map({ now - $0 >= Self.reportTime }) ?? true else { return }
        lastReport = now
        permit.progressed(bodyByteCount, of: header("content-length").flatMap(Int.init))
    }

    /// The time at which the loop must check for a stall again.
    var stallDue: Instant? { isPaused ? nil : stallWatch?.due }

    /// Returns whether the server has stalled. If so, the result has that failure.
    func isStalled(now: Instant) -> Bool {
        guard !isPaused, stallWatch?.isStalled(received: passedByteCount, now: now) == true else { return false }
        stopped = request.stalled(settings.stall)
        return true
    }

    /// Ends the transfer because others wait. The bytes so far are kept, and the result has the reason.
    func preempt(_ cause: Preemption) {
        wasPreempted = true
        stopped = request.wasPreempted(cause)
    }

    /// Returns whether the transfer goes on after a change of the receiver's wishes.
    func resume() -> Bool {
        switch receiver.resumption() {
        case .taken:
            guard isPaused else { return true }
            isPaused = false
            request.permit?.resume()
            stallWatch = StallWatch(settings.stall, received: passedByteCount, now: time.now)
            return unsafe curl_easy_pause(handle, CURLPAUSE_CONT) == CURLE_OK
        case .paused: return true
        case .stopped(let failure):
            stopped = failure
            return false
        }
    }

    /// Returns the result of a transfer that libcurl ended with `code`, or that the loop took out.
    func result(_ code: CURLcode) -> HTTPResult {
        if stopped == nil { _ = handOn() }
        var result = HTTPResult(status: status)
        result.location = isRedirect ? header("location") : nil
        result.retryAfter = retryAfter
        result.isConnected = stallWatch != nil
        result.isFlowing = isFlowing
        result.wasPreempted = wasPreempted
        result.fetchedByteCount = fetchedByteCount
        if status != nil, code == CURLE_OK { _ = openedBody() }
        result.wasStopped = stopped != nil
        result.failure = stopped ?? failure(code)
        return result
    }

    /// The result of a transfer that no caller waits for any more.
    var cancelledResult: HTTPResult {
        var result = HTTPResult(failure: request.cancelled())
        if stopped == nil { _ = handOn() }
        result.wasStopped = true
        result.fetchedByteCount = fetchedByteCount
        result.isFlowing = isFlowing
        return result
    }

    /// A Boolean value that indicates whether bytes of the body came until now.
    private var isFlowing: Bool { lastBytes.map { time.now - $0 < settings.fairTime } ?? false }

    private func failure(_ code: CURLcode) -> AttachmentFailure? {
        if let refusal, code == CURLE_COULDNT_CONNECT { return request.refused(refusal) }
        guard code != CURLE_OK else { return nil }
        return request.failure(
            code,
            isConnected: stallWatch != nil,
            hasBody: bodyByteCount > 0,
            lacksIssuer: lacksIssuer,
            connectTimeout: settings.connectTimeout,
        )
    }

    /// Gives libcurl the addresses of the host, so that it resolves no name.
    private func pinNames(_ options: TransferOptions) {
        guard !request.addresses.isEmpty else { return }
        let list = request.addresses.map { $0.family == .v6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        unsafe pinnedNames = curl_slist_append(nil, "\(request.url.host):\(request.url.port):\(list)")
        unsafe options.setNames(pinnedNames)
    }
}

// MARK: - Stalls

/// The rule by which a reached origin counts as stalled: fewer than `byteCount` bytes, headers included, come within
/// `window`, from the start on.
package struct StallRule: Sendable, Equatable {
    package var byteCount: Int
    package var window: Duration

    package init(byteCount: Int = 1, window: Duration = .seconds(5)) {
        self.byteCount = byteCount
        self.window = window
    }
}

/// The watch over one transfer by its rule. A window ends, and the next begins, as soon as enough bytes have come.
struct StallWatch {
    private let rule: StallRule
    private var receivedBefore: Int
    private var start: Instant

    init(_ rule: StallRule, received: Int = 0, now: Instant) {
        self.rule = rule
        receivedBefore = received
        start = now
    }

    /// The time at which the transfer counts as stalled if no more bytes come.
    var due: Instant { start + rule.window }

    /// Records the number of bytes so far, and returns whether the transfer has stalled.
    mutating func isStalled(received: Int, now: Instant) -> Bool {
        if received - receivedBefore >= rule.byteCount { self = StallWatch(rule, received: received, now: now) }
        return now >= due
    }
}
