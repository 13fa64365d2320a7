import CCrypto
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

    /// A Boolean value that indicates whether the origin's certificate was refused because nothing is known of the one that signed it.
    var lacksIssuer: Bool {
        var result = 0
        let code = unsafe ccurl_getinfo_long(handle, CURLINFO_SSL_VERIFYRESULT, &result)
        return code == CURLE_OK && result == Int(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
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
        while head.cookies.count < Self.cookieFieldLimit, let cookie = field("set-cookie", head.cookies.count) {
            head.cookies.append(cookie)
        }
        head.connectTime = connectTime
        return head
    }

    /// A Boolean value that indicates whether the status asks for the same with another URL (RFC 9110, section 15.4).
    var isRedirect: Bool { status.map(AnswerHead.isRedirect) ?? false }

    /// Returns the first field of that name.
    func header(_ name: String) -> String? { field(name, 0) }

    /// The most `Set-Cookie` fields that are read.
    private static let cookieFieldLimit = 16

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
        let value = unsafe String(cString: header.pointee.value)
        // libcurl leaves the end of the line behind an empty value.
        return value.last?.isNewline == true ? String(value.dropLast()) : value
    }
}

/// A reader for numbers in an origin's header fields.
package enum HeaderNumber {
    /// The size of the largest source, in bytes: a tebibyte. Larger claims never enter arithmetic.
    package static let largestSize = 1 << 40
    /// The longest time that a field can ask for, in seconds: 68 years (RFC 9111, section 1.2.2).
    package static let longestTime = 2_147_483_648

    /// Reads a decimal number without a sign, at most `limit`. Returns `nil` if the text is anything else.
    package static func parse(_ text: some StringProtocol, limit: Int) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int(text) ?? .max, limit)
    }
}

/// A reader for dates in an origin's header fields (RFC 9110, section 5.6.7).
package enum HeaderDate {
    /// Returns the seconds since 1970; `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int? {
        let seconds = unsafe curl_getdate(text, nil)
        // A time beyond the year 9999 is not a date.
        return (0..<253_402_300_800).contains(seconds) ? seconds : nil
    }
}

// MARK: - Codings of the body

/// A header field by which an answer says that its body has a transfer coding.
///
/// libcurl undoes these codings on the loop's thread, however deeply nested, and does not check the time meanwhile. So the
/// transfer ends at the field itself, before any byte of the body is there (SECURITY N8). libcurl leaves content codings alone.
enum TransferCoding {
    static let lie = "sent its answer in a transfer coding other than chunked"

    /// Returns whether a line of a head has a coding other than `chunked`, which is undone as the bytes come.
    static func isRefused(in line: UnsafeRawBufferPointer) -> Bool {
        // Few fields begin like this one.
        guard let first = unsafe line.first, "tT".utf8.contains(first),
            let colon = unsafe line.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        return unsafe text(line[..<colon]) == "transfer-encoding" && text(line[(colon + 1)...]) != "chunked"
    }

    /// Returns the text in lower case, without surrounding spaces.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
        let start = unsafe bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = unsafe bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return unsafe String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
    }
}
