import CCurl

/// The handle's information about the answer.
extension Transfer {
    /// The answer's HTTP status, once there is one.
    var status: Int? {
        var status = 0
        guard unsafe ccurl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, status > 0 else {
            return nil
        }
        return status
    }

    /// The bytes of the body as they came over the network.
    var fetchedByteCount: Int {
        var count: curl_off_t = 0
        return unsafe ccurl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) == CURLE_OK ? Int(count) : 0
    }

    /// The time from the start to the established connection, with TLS; `nil` if the connection was there before.
    private var connectTime: Duration? {
        let times = [CURLINFO_CONNECT_TIME_T, CURLINFO_APPCONNECT_TIME_T].map { info in
            var time: curl_off_t = 0
            return unsafe ccurl_getinfo_off(handle, info, &time) == CURLE_OK ? Int(time) : 0
        }
        return times.max().flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    /// The pause in the answer's `Retry-After`, given in seconds or as a date.
    var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        guard unsafe ccurl_getinfo_off(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK, seconds > 0 else {
            return nil
        }
        return .seconds(min(Int(seconds), HeaderNumber.longestTime))
    }

    /// The answer's head, once there is one.
    var head: AnswerHead? {
        guard let status else { return nil }
        var head = AnswerHead(status: status)
        head.contentType = header("content-type")
        head.contentLength = header("content-length").flatMap {
            HeaderNumber.parse($0, limit: HeaderNumber.largestSize)
        }
        head.contentRange = header("content-range")
        head.contentEncoding = list("content-encoding")
        head.acceptRanges = header("accept-ranges")
        head.entityTag = validator("etag")
        head.lastModified = validator("last-modified")
        head.date = header("date")
        head.cacheControl = list("cache-control")
        head.expires = header("expires")
        head.age = header("age")
        head.vary = list("vary")
        head.connectTime = connectTime
        return head
    }

    /// A Boolean value that indicates whether the status asks for the same with another URL (RFC 9110, section 15.4).
    var isRedirect: Bool { status.map(AnswerHead.isRedirect) ?? false }

    /// Returns the first field of that name.
    func header(_ name: String) -> String? { field(name, 0) }

    /// The longest validator that is kept, in bytes. Real ones are shorter than 100.
    private static let validatorByteLimit = 256

    /// Returns the first field of that name, or `nil` if it is too long to be kept for each source.
    private func validator(_ name: String) -> String? {
        header(name).flatMap { $0.utf8.count <= Self.validatorByteLimit ? $0 : nil }
    }

    /// Returns all fields of that name as one list (RFC 9110, section 5.3).
    private func list(_ name: String) -> String? {
        guard var list = field(name, 0) else { return nil }
        var index = 1
        while let more = field(name, index) {
            list += ", \(more)"
            index += 1
        }
        return list
    }

    private func field(_ name: String, _ index: Int) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard unsafe curl_easy_header(handle, name, index, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let header = unsafe header
        else { return nil }
        return unsafe String(cString: header.pointee.value)
    }
}
