import CCurl
import Glibc
import Media
import Timing

/// One request on a libcurl easy handle. It belongs to the loop's thread.
@safe
final class Transfer {
    /// The size in bytes up to which a redirect's body is read and dropped, which keeps the connection. A longer one is
    /// cut off.
    private static let droppedByteLimit = 16_384

    private static let reportTime: Duration = .milliseconds(100)

    enum Reception {
        case taken
        /// libcurl keeps the bytes, and offers them again once it is told to go on.
        case paused
        /// The transfer must end.
        case stopped
    }

    /// The kind of body, once the head is known.
    private enum Body {
        /// The whole source. If there is a version, ranges are available too.
        case whole(SourceVersion?)
        case part(Range<Int>, SourceVersion)
        /// A body without use.
        case other
    }

    let handle: UnsafeMutableRawPointer
    private let request: TransferRequest
    private let settings: DownloadSettings
    private var stallWatch: StallWatch?
    private var fixedNames: UnsafeMutablePointer<curl_slist>?
    private var headers: UnsafeMutablePointer<curl_slist>?

    private var body: Body?
    /// A Boolean value that indicates whether the transfer is so far ahead, in order, that the reader has to catch up.
    private var isPaused = false
    /// A Boolean value that indicates whether the transfer was given up for range requests.
    private var turnsToParts = false
    private var isRangeRefused = false
    private var headerByteCount = 0
    private var headerLineCount = 0
    private var bodyByteCount = 0
    /// The time of the last bytes of the source.
    private var lastBytes: Instant?
    /// The time of the last progress report.
    private var lastReport: Instant?
    /// A Boolean value that indicates whether the transfer ended early because others waited.
    private var wasPreempted = false
    /// The offset of the next byte to send.
    private var sendOffset = 0
    /// The number of bytes sent, which count as a sign of life as well.
    private var sentByteCount = 0
    /// The last address that was refused. libcurl goes on to the name's next one.
    private var refusal: AddressRefusal?
    /// The reason why a callback, or the loop, stopped the transfer.
    private var stopped: AttachmentFailure?

    /// Creates a transfer. The handle's `CURLOPT_PRIVATE` is `id`.
    init(_ request: TransferRequest, id: UInt, settings: DownloadSettings) throws(AttachmentFailure) {
        guard let handle = unsafe curl_easy_init() else {
            throw AttachmentFailure(.download, .resourceLimit, "The worker has no memory for another download.")
        }
        unsafe self.handle = handle
        self.request = request
        self.settings = settings
        let options = unsafe TransferOptions(handle: handle)
        options.set(request, settings, id: id)
        fixNames(options)
        for field in request.headerFields + (request.known?.headerFields ?? []) {
            unsafe headers = curl_slist_append(headers, field)
        }
        unsafe options.setHeaders(headers)
        // The handle's callbacks borrow this object, which owns the handle and frees it before itself.
        unsafe options.setCallbacks(Unmanaged.passUnretained(self).toOpaque())
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
        unsafe curl_slist_free_all(fixedNames)
        unsafe curl_slist_free_all(headers)
    }

    // MARK: - Callbacks from libcurl

    /// Opens the socket for an address that may be dialled. It is the very address that goes to `connect`: no name,
    /// notation or resolver can change it after this check.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let (family, type, number) = unsafe (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        guard let endpoint = unsafe Endpoint(address) else { return CURL_SOCKET_BAD }
        if let refusal = settings.addresses.refusal(of: endpoint.address, port: endpoint.port) {
            self.refusal = refusal
            return CURL_SOCKET_BAD
        }
        return socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
    }

    /// Checks the address again, in case a kept connection is used and no socket was opened. `false` stops the
    /// transfer.
    func willSendRequest(to text: String, port: Int) -> Bool {
        guard let address = IPAddress(text) else { return false }
        if let refusal = settings.addresses.refusal(of: address, port: port) {
            stopped = request.refused(refusal)
            return false
        }
        stallWatch = StallWatch(settings.stall, now: SystemTime().now)
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
        guard let coding = unsafe BodyCoding(line), coding == .transfer || readsBody else { return true }
        stopped = request.lied(coding.lie)
        return false
    }

    /// A Boolean value that indicates whether the body of an answer with this status is of use.
    private var readsBody: Bool {
        status == 200 || status == 206 || request.message?.signature != nil && !isRedirect
    }

    /// Writes the next bytes to send into `buffer`. Returns how many: 0 at the end, `nil` if they cannot be read.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard case .put(let upload)? = request.message?.action,
            let count = unsafe upload.read(at: sendOffset, into: buffer)
        else { return nil }
        sendOffset += count
        sentByteCount += count
        return count
    }

    /// Sends everything again: a kept connection broke off, and another one replaces it.
    func sendAgain(from offset: Int) { sendOffset = offset }

    /// Receives bytes of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let body = openedBody()
        guard stopped == nil else { return .stopped }
        let offset: Int
        switch body {
        case .other:
            bodyByteCount += bytes.count
            return isRedirect && bodyByteCount <= Self.droppedByteLimit ? .taken : .stopped
        case .part(let range, _):
            offset = range.lowerBound + bodyByteCount
            guard offset + bytes.count <= range.upperBound else {
                stopped = request.lied(.otherLength)
                return .stopped
            }
        case .whole(let version):
            offset = bodyByteCount
            let contents = request.file.contents
            if let version, turns(to: version, contents) { return .stopped }
            // In order, all bytes before the wanted range would have to be kept too.
            guard contents.wanted.lowerBound < request.file.byteLimit else {
                stopped = request.tooLarge()
                return .stopped
            }
            // The wanted range may reach up to the last number.
            isPaused = offset - settings.ranges.windowByteCount >= contents.wanted.upperBound
            guard !isPaused else {
                // Until the reader has caught up, the origin is idle, and other requests may use the permit.
                request.permit?.leave(.worked)
                return .paused
            }
        }
        do throws(AttachmentFailure) {
            guard try unsafe request.file.write(bytes, at: offset) else {
                stopped = request.cancelled()
                return .stopped
            }
            bodyByteCount += bytes.count
            reportProgress(at: SystemTime().now)
            return .taken
        } catch {
            stopped = error
            return .stopped
        }
    }

    /// Reports the progress from time to time, for the choice between transfers.
    private func reportProgress(at now: Instant) {
        lastBytes = now
        guard let permit = request.permit, lastReport.map({ now - $0 >= Self.reportTime }) ?? true else { return }
        lastReport = now
        let expected: Int? =
            if case .part(let range, _) = body { range.count } else { header("content-length").flatMap(Int.init) }
        permit.progressed(bodyByteCount, of: expected)
    }

    /// Returns the kind of body, determined at its first byte or, without one, at its end.
    private func openedBody() -> Body {
        if let body { return body }
        if let onHead = request.onHead, let head { onHead(head) }
        let body = judgedBody()
        self.body = body
        if case .part(_, let version) = body { request.file.setSize(version.size) }
        if case .other = body { return body }
        request.permit?.answered()
        return body
    }

    private func judgedBody() -> Body {
        guard let head, !isRedirect else { return .other }
        // The body explains why the operator's own server refuses a request.
        if request.message?.signature != nil { return .whole(nil) }
        // Only now is a field known that is folded into two lines. libcurl does not undo it.
        guard !head.isEncoded || !readsBody else {
            stopped = request.lied(.encoded)
            return .other
        }
        guard let asked = request.range, [200, 206, 416].contains(head.status) else {
            return head.status == 200 && request.range == nil ? .whole(head.offeredVersion) : .other
        }
        switch RangeAnswer(head, asked: asked, version: request.version) {
        case .part(let range, let version): return .part(range, version)
        case .whole: return .whole(nil)
        case .refused: isRangeRefused = true
        case .changed: stopped = request.sourceChanged()
        case .lie(let lie): stopped = request.lied(lie)
        }
        return .other
    }

    /// Returns whether range requests fetch the rest of a source better: it is most likely a long clip, or the wanted
    /// range is far ahead.
    private func turns(to version: SourceVersion, _ contents: SourceContents) -> Bool {
        let rule = settings.ranges
        guard version.size > rule.jumpByteCount, contents.wanted.upperBound != .max else { return false }
        let isClip = bodyByteCount >= rule.firstByteCount && head?.declaresClip == true
        turnsToParts = isClip || contents.wanted.lowerBound - bodyByteCount > rule.jumpByteCount
        return turnsToParts
    }

    // MARK: - Calls from the loop

    private var passedByteCount: Int { headerByteCount + bodyByteCount + sentByteCount }

    /// The time at which the loop must check for a stall again.
    var stallDue: Instant? { isPaused ? nil : stallWatch?.due }

    /// Returns whether the origin has stalled. If so, the result has that failure.
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

    /// Returns whether the transfer goes on after a change of the wanted range.
    func goesOn() -> Bool {
        if case .whole(let version?) = body, turns(to: version, request.file.contents) { return false }
        guard isPaused else { return true }
        isPaused = false
        stallWatch = StallWatch(settings.stall, received: passedByteCount, now: SystemTime().now)
        return unsafe curl_easy_pause(handle, CURLPAUSE_CONT) == CURLE_OK
    }

    /// Returns the result of a transfer that libcurl ended with `code`, or that the loop took out.
    func result(_ code: CURLcode) -> TransferResult {
        var result = TransferResult(status: status)
        result.location = isRedirect ? header("location") : nil
        result.contentType = header("content-type")
        result.retryAfter = retryAfter
        result.isConnected = stallWatch != nil
        result.isFlowing = isFlowing
        result.wasPreempted = wasPreempted
        result.fetchedByteCount = fetchedByteCount
        if status != nil, code == CURLE_OK { _ = openedBody() }
        result.isRangeRefused = isRangeRefused && stopped == nil
        result.isUnchanged = status == 304 && request.known != nil && stopped == nil
        switch body {
        case .part(_, let version): result.version = version
        case .whole(let version): result.version = turnsToParts ? version : nil
        case .other, nil: break
        }
        guard !turnsToParts, !result.isRangeRefused, !result.isUnchanged else { return result }
        // After a redirect only failures that a callback or the loop found count.
        result.failure = result.location == nil ? failure(code) : stopped
        return result
    }

    /// The result of a transfer that no caller waits for any more.
    var cancelledResult: TransferResult {
        var result = TransferResult(failure: request.cancelled())
        result.fetchedByteCount = fetchedByteCount
        result.isFlowing = isFlowing
        return result
    }

    /// A Boolean value that indicates whether bytes of the source came until now.
    private var isFlowing: Bool { lastBytes.map { SystemTime().now - $0 < settings.origins.fairTime } ?? false }

    private func failure(_ code: CURLcode) -> AttachmentFailure? {
        if let stopped { return stopped }
        if let refusal, code == CURLE_COULDNT_CONNECT { return request.refused(refusal) }
        if let status, status != 200, status != 206 || request.range == nil {
            return request.unexpectedStatus(status)
        }
        guard code == CURLE_OK else {
            return request.failure(
                code,
                isConnected: stallWatch != nil,
                hasBody: bodyByteCount > 0,
                connectTimeout: settings.connectTimeout,
            )
        }
        if case .part(let range, _) = body, bodyByteCount < range.count { return request.truncated() }
        return bodyByteCount > 0 ? nil : request.empty()
    }

    /// Gives libcurl the addresses of a name that a test fixed.
    private func fixNames(_ options: TransferOptions) {
        guard let addresses = settings.resolve?(request.url.host) else { return }
        let list = addresses.map { $0.family == .v6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        unsafe fixedNames = curl_slist_append(nil, "\(request.url.host):\(request.url.port):\(list)")
        unsafe options.setNames(fixedNames)
    }
}
