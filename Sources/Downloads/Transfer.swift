import CCurl
import Glibc
import Media

/// One request on a libcurl easy handle. Belongs to the loop's thread.
@safe
final class Transfer {
    /// A redirect's body up to this size is read and dropped, which keeps the connection; a longer one is cut off.
    private static let droppedByteLimit = 16_384

    let handle: UnsafeMutableRawPointer
    private let request: TransferRequest
    private let settings: DownloadSettings
    private var stallWatch: StallWatch?
    private var fixedNames: UnsafeMutablePointer<curl_slist>?

    private var headerByteCount = 0
    private var bodyByteCount = 0
    /// The last address that was refused. libcurl goes on to the name's next one.
    private var refusal: AddressRefusal?
    /// Why a callback, or the loop, stopped the transfer.
    private var stopped: AttachmentFailure?

    /// The handle's `CURLOPT_PRIVATE` is `id`.
    init(_ request: TransferRequest, id: UInt, settings: DownloadSettings) throws(AttachmentFailure) {
        guard let handle = unsafe curl_easy_init() else {
            throw AttachmentFailure(.download, .resourceLimit, "No memory for another transfer.")
        }
        unsafe self.handle = handle
        self.request = request
        self.settings = settings
        let options = unsafe TransferOptions(handle: handle)
        options.set(request, settings, id: id)
        fixNames(options)
        // The handle's callbacks borrow this object: it owns the handle, and frees it before itself.
        unsafe options.setCallbacks(Unmanaged.passUnretained(self).toOpaque())
        guard options.areAccepted else {
            throw AttachmentFailure(.download, .internalError, "libcurl lacks an option that downloads need.")
        }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fixedNames)
    }

    // MARK: - What libcurl calls

    /// Opens the socket for an address that may be dialled. The address is the one that goes to `connect`: whatever the
    /// name, its notation or the resolver said before, there is nothing after this.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let (family, type, number) = unsafe (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        guard let endpoint = unsafe Endpoint(address) else { return CURL_SOCKET_BAD }
        if let refusal = settings.addresses.refusal(of: endpoint.address, port: endpoint.port) {
            self.refusal = refusal
            return CURL_SOCKET_BAD
        }
        return socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
    }

    /// Checks the address again, for the case that a connection is used once more and no socket was opened. `false` stops
    /// the transfer.
    func willSendRequest(to text: String, port: Int) -> Bool {
        guard let address = IPAddress(text) else { return false }
        if let refusal = settings.addresses.refusal(of: address, port: port) {
            stopped = request.refused(refusal)
            return false
        }
        stallWatch = StallWatch(settings.stall, now: SystemTime().now)
        return true
    }

    /// Counts header bytes. `false` stops the transfer.
    func receiveHeader(byteCount: Int) -> Bool {
        headerByteCount += byteCount
        guard headerByteCount <= settings.headerByteLimit else {
            stopped = request.headersTooLarge(limit: settings.headerByteLimit)
            return false
        }
        return true
    }

    /// Takes bytes of the body, decoded. `false` stops the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyByteCount += bytes.count
        guard status == 200 else {
            return isRedirect && bodyByteCount <= Self.droppedByteLimit
        }
        do throws(AttachmentFailure) {
            try unsafe request.file.append(bytes)
            return true
        } catch {
            stopped = error
            return false
        }
    }

    // MARK: - What the loop calls

    /// When the loop has to look for a stall again.
    var stallDue: Instant? { stallWatch?.due }

    /// Whether the origin has stalled; the result says so then.
    func isStalled(now: Instant) -> Bool {
        guard stallWatch?.isStalled(received: headerByteCount + bodyByteCount, now: now) == true else { return false }
        stopped = request.stalled(settings.stall)
        return true
    }

    /// The result of a transfer that libcurl ended with `code`, or that the loop took out.
    func result(_ code: CURLcode) -> TransferResult {
        var result = TransferResult(status: status)
        result.location = isRedirect ? header("location") : nil
        result.contentType = header("content-type")
        result.fetchedByteCount = fetchedByteCount
        // Once a redirect says where to, only what a callback or the loop found wrong with it counts.
        result.failure = result.location == nil ? failure(code) : stopped
        return result
    }

    private func failure(_ code: CURLcode) -> AttachmentFailure? {
        if let stopped { return stopped }
        if let refusal, code == CURLE_COULDNT_CONNECT { return request.refused(refusal) }
        if let status, status != 200 { return request.unexpectedStatus(status) }
        guard code == CURLE_OK else {
            return request.failure(
                code,
                isConnected: stallWatch != nil,
                hasBody: bodyByteCount > 0,
                connectTimeout: settings.connectTimeout,
            )
        }
        return bodyByteCount > 0 ? nil : request.empty()
    }

    // MARK: - What the handle knows

    private var status: Int? {
        var status = 0
        guard unsafe ccurl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, status > 0 else {
            return nil
        }
        return status
    }

    private var fetchedByteCount: Int {
        var count: curl_off_t = 0
        return unsafe ccurl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) == CURLE_OK ? Int(count) : 0
    }

    /// RFC 9110, section 15.4: the statuses that ask for the same with another URL.
    private var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    private func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard unsafe curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let header = unsafe header
        else { return nil }
        return unsafe String(cString: header.pointee.value)
    }

    /// Gives libcurl the addresses of a name that a test fixed.
    private func fixNames(_ options: TransferOptions) {
        guard let addresses = settings.resolve?(request.url.host) else { return }
        let list = addresses.map { $0.family == .v6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
        unsafe fixedNames = curl_slist_append(nil, "\(request.url.host):\(request.url.port):\(list)")
        unsafe options.setNames(fixedNames)
    }
}
