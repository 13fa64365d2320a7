import Base
import CCrypto
import CCurl
import Glibc
import Media

/// The options of one easy handle. It remembers whether libcurl accepted them all.
@safe
final class TransferOptions {
    private let handle: UnsafeMutableRawPointer
    private(set) var areAccepted = true

    init(handle: UnsafeMutableRawPointer) { unsafe self.handle = handle }

    func set(_ request: HTTPRequest, _ settings: HTTPSettings, id: UInt) {
        set(CURLOPT_URL, request.url.text)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        // Over HTTP/2, endless empty DATA frames keep libcurl 7.88 in one call, in which it does not check the time:
        // one origin would stop all transfers (SECURITY N9).
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        // attachd follows redirects itself: it parses, checks and counts each hop as a separate request.
        set(CURLOPT_FOLLOWLOCATION, 0)

        // A proxy would be the only address that the policy sees. By default libcurl takes one from the environment.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "*")

        set(CURLOPT_TIMEOUT_MS, max(1, request.timeLimit.milliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, settings.connectTimeout.milliseconds))
        set(CURLOPT_NOSIGNAL, 1)

        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // A key exchange has bounded costs: a group of 10,000 bits, which a server may choose for DHE, takes seconds in one
        // call (SECURITY N15). The curves also exclude the finite fields of TLS 1.3.
        set(CURLOPT_SSL_CIPHER_LIST, "ECDHE")
        set(CURLOPT_SSL_EC_CURVES, "X25519:P-256:P-384")
        if let certificate = request.access?.certificate { set(certificate) }

        set(CURLOPT_USERAGENT, settings.userAgent)
        if let range = request.range, request.signature == nil { set(CURLOPT_RANGE, range.headerText) }
        set(request.action)
        if let signature = request.signature { set(signature) }
        unsafe record(ccurl_setopt_pointer(handle, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: id)))
    }

    private func set(_ action: OutgoingMessage.Action) {
        switch action {
        case .get: break
        case .post(let body):
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, body.count)
            unsafe body.withUnsafeBytes { body in
                unsafe record(ccurl_setopt_body(handle, body.baseAddress))
            }
        case .put(let upload):
            set(CURLOPT_UPLOAD, 1)
            unsafe record(ccurl_setopt_off(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.byteCount)))
        case .delete: set(CURLOPT_CUSTOMREQUEST, "DELETE")
        }
    }

    private func set(_ signature: SignatureV4) {
        set(CURLOPT_AWS_SIGV4, signature.scope)
        set(CURLOPT_USERNAME, signature.accessKeyID)
        set(CURLOPT_PASSWORD, signature.secretAccessKey.revealed)
        // libcurl 7.88 would sign an empty "Expect:", which isn't sent. So it asks before it sends more than a
        // megabyte; a server that doesn't answer that gets the body all the same.
        set(CURLOPT_EXPECT_100_TIMEOUT_MS, 250)
    }

    /// Gives libcurl a copy of the certificate and its key, so that it reads no file: both are of one version.
    private func set(_ certificate: ClientCertificate) {
        set(CURLOPT_SSLCERT_BLOB, Array(certificate.chain.utf8))
        set(CURLOPT_SSLKEY_BLOB, Array(certificate.key.revealed.utf8))
    }

    private func set(_ option: CURLoption, _ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe record(ccurl_setopt_blob(handle, option, bytes.baseAddress, bytes.count))
        }
    }

    /// Has connections trust the authorities in OpenSSL's store, which must outlive the handle, and no others.
    func setTrust(_ store: OpaquePointer) {
        unsafe record(ccurl_setopt_string(handle, CURLOPT_CAINFO, nil))
        unsafe record(ccurl_setopt_string(handle, CURLOPT_CAPATH, nil))
        set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        unsafe record(ccurl_setopt_pointer(handle, CURLOPT_SSL_CTX_DATA, UnsafeMutableRawPointer(store)))
        unsafe record(
            ccurl_setopt_ssl_context(handle) { _, context, store in
                guard let context = unsafe context, let store = unsafe store else { return CURLE_SSL_CERTPROBLEM }
                unsafe SSL_CTX_set1_cert_store(OpaquePointer(context), OpaquePointer(store))
                return CURLE_OK
            },
        )
    }

    /// Sets the owner of the connection's sockets, which must outlive the loop's handle.
    func setSockets(_ sockets: UnsafeMutableRawPointer) {
        unsafe record(ccurl_setopt_pointer(handle, CURLOPT_CLOSESOCKETDATA, sockets))
        unsafe record(
            ccurl_setopt_closesocket(handle) { sockets, descriptor in
                guard let sockets = unsafe sockets else { return -1 }
                unsafe Unmanaged<LoopSockets>.fromOpaque(sockets).takeUnretainedValue().close(descriptor)
                return 0
            },
        )
    }

    func setNames(_ names: UnsafeMutablePointer<curl_slist>?) {
        unsafe record(ccurl_setopt_list(handle, CURLOPT_RESOLVE, names))
    }

    func setHeaders(_ headers: UnsafeMutablePointer<curl_slist>?) {
        unsafe record(ccurl_setopt_list(handle, CURLOPT_HTTPHEADER, headers))
    }

    /// Sets the callbacks. `transfer` points to their `Transfer`, and must outlive the handle.
    func setCallbacks(_ transfer: UnsafeMutableRawPointer) {
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_OPENSOCKETDATA,
            CURLOPT_PREREQDATA,
        ] {
            unsafe record(ccurl_setopt_pointer(handle, option, transfer))
        }
        // If the returned count differs from the offered count, libcurl stops the transfer.
        unsafe record(
            ccurl_setopt_write(handle) { bytes, size, count, context in
                let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                return switch unsafe borrowed(context).receive(body) {
                case .taken: body.count
                case .paused: Int(CURL_WRITEFUNC_PAUSE)
                case .stopped: 0
                }
            },
        )
        unsafe record(
            ccurl_setopt_header(handle) { bytes, size, count, context in
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                return unsafe borrowed(context).receiveHeader(line) ? line.count : 0
            },
        )
        unsafe record(
            ccurl_setopt_read(handle) { bytes, size, count, context in
                let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return unsafe borrowed(context).send(into: buffer) ?? Int(CURL_READFUNC_ABORT)
            },
        )
        unsafe record(
            ccurl_setopt_seek(handle) { context, offset, origin in
                guard origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
                unsafe borrowed(context).sendAgain(from: Int(offset))
                return CURL_SEEKFUNC_OK
            },
        )
        unsafe record(
            ccurl_setopt_opensocket(handle) { context, _, address in
                guard let address = unsafe address else { return CURL_SOCKET_BAD }
                return unsafe borrowed(context).openSocket(address)
            },
        )
        unsafe record(
            ccurl_setopt_prereq(handle) { context, address, _, port, _ in
                let text = unsafe address.map { unsafe String(cString: $0) } ?? ""
                let goesOn = unsafe borrowed(context).willSendRequest(to: text, port: Int(port))
                return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            },
        )
    }

    private func set(_ option: CURLoption, _ value: Int) { unsafe record(ccurl_setopt_long(handle, option, value)) }

    private func set(_ option: CURLoption, _ value: String) {
        unsafe record(ccurl_setopt_string(handle, option, value))
    }

    private func record(_ code: CURLcode) {
        if code != CURLE_OK { areAccepted = false }
    }
}

/// Returns the transfer of a callback.
private func borrowed(_ context: UnsafeMutableRawPointer?) -> Transfer {
    guard let context = unsafe context else { preconditionFailure("libcurl called back without its context") }
    return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

// MARK: - Proxies

/// The environment's variables for proxies. attachd uses none: a proxy would be the only address that its policy for addresses
/// sees.
package enum ProxyVariable {
    /// The variables that libcurl knows, and other programs follow.
    package static let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]

    package static let advice = "attachd uses no proxy. Let it reach origins directly."

    /// A sentence for the message of a failed connection if the environment names a proxy; otherwise an empty text.
    static let remark: String = {
        let name = names.first { unsafe getenv($0).map { unsafe $0.pointee != 0 } ?? false }
        return name.map { " \($0) is set, but \(advice)" } ?? ""
    }()
}
