import CCurl
package import Media
import Timing

/// Failures in words. They name the host of the download and nothing that an origin sent.
extension HTTPRequest {
    func refused(_ refusal: AddressRefusal) -> AttachmentFailure { unreachable("\(refusal)") }

    /// Returns one failure for two causes. Callers must not learn which names an internal DNS knows, so a host without
    /// an address and a host whose addresses may not be fetched from fail alike (SECURITY N11).
    func unreachable(_ refusal: String?) -> AttachmentFailure {
        var failure = failure(
            .refusedAddress,
            "\(origin) has no address that may be fetched from. If its address is private, see --allow-address.",
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
        failure(.httpStatus, "\(origin) answered with HTTP status \(status) instead of 200.")
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
    func unresolved(_ settings: HTTPSettings) -> AttachmentFailure {
        failure(.connectionFailed, "\(origin) could not be reached within \(settings.connectTimeout).")
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
        case .ending: failure(.workerStopped, "The worker ends before \(origin) would have sent the source.")
        case .share: failure(.timedOut, "\(origin) had more than its share of all downloads while others waited.")
        }
    }

    package func cancelled() -> AttachmentFailure { failure(.cancelled, "The download from \(origin) was stopped.") }

    /// Returns the failure that libcurl's `code` means. `hasBody` tells whether bytes of the body had come.
    func failure(
        _ code: CURLcode,
        isConnected: Bool,
        hasBody: Bool,
        connectTimeout: Duration,
    ) -> AttachmentFailure {
        switch code {
        case CURLE_URL_MALFORMAT: failure(.invalidURL, "The host name of \(origin) cannot be used.")
        case CURLE_COULDNT_RESOLVE_HOST: unreachable(nil)
        case CURLE_OPERATION_TIMEDOUT where !isConnected && connectTimeout < timeLimit:
            failure(.connectionFailed, "\(origin) could not be reached within \(connectTimeout).")
        case CURLE_OPERATION_TIMEDOUT: timedOut()
        case CURLE_SSL_CACERT_BADFILE: failure(.tlsFailed, "The file of certificate authorities cannot be read.")
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
                "\(origin) did not answer: the connection failed with libcurl error \(code.rawValue).",
            )
        }
    }

    package func failure(_ reason: AttachmentFailure.Reason, _ message: String) -> AttachmentFailure {
        AttachmentFailure(.download, reason, message)
    }
}
