import CCurl

/// What the handle knows of the answer.
extension Transfer {
    /// The answer's HTTP status, once there is one.
    var status: Int? {
        var status = 0
        guard unsafe ccurl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, status > 0 else {
            return nil
        }
        return status
    }

    /// Bytes of the body as they came over the network.
    var fetchedByteCount: Int {
        var count: curl_off_t = 0
        return unsafe ccurl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) == CURLE_OK ? Int(count) : 0
    }

    /// What the answer says of itself, once there is one.
    var head: AnswerHead? {
        guard let status else { return nil }
        var head = AnswerHead(status: status)
        head.contentType = header("content-type")
        head.contentLength = header("content-length").flatMap(Int.init)
        head.contentRange = header("content-range")
        head.contentEncoding = header("content-encoding")
        head.acceptRanges = header("accept-ranges")
        head.entityTag = header("etag")
        head.lastModified = header("last-modified")
        head.date = header("date")
        head.cacheControl = list("cache-control")
        head.expires = header("expires")
        head.age = header("age")
        head.vary = list("vary")
        return head
    }

    /// RFC 9110, section 15.4: the statuses that ask for the same with another URL.
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The first field of that name.
    func header(_ name: String) -> String? { field(name, 0) }

    /// All fields of that name, as the one list that they are (RFC 9110, section 5.3).
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
