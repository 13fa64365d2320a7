/// The body of a POST, and what is said of it.
package struct PostedContent: Sendable, Equatable {
    package var body: [UInt8]
    /// Names and values, beside what every request has.
    package var headers: [String: String]

    package init(body: [UInt8], headers: [String: String]) {
        self.body = body
        self.headers = headers
    }

    /// A line each. A value that would begin another line is left out: it may come from whoever handed the job over.
    var headerFields: [String] {
        headers.sorted { $0.key < $1.key }
            .filter { !"\($0.key)\($0.value)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
            .map { "\($0.key): \($0.value)" }
    }
}

extension TransferRequest {
    /// What the request has beside libcurl's own header fields.
    var headerFields: [String] {
        // Otherwise libcurl waits for a server's "100 Continue" before it sends a larger body.
        if let post { return post.headerFields + ["Expect:"] }
        return version?.validator.map { ["If-Range: \($0)"] } ?? []
    }
}
