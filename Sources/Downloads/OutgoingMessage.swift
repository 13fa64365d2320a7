/// What is sent to a server that is no origin of a source: a POST if there is a body, else a GET.
package struct OutgoingMessage: Sendable, Equatable {
    package var body: [UInt8]?
    /// Names and values, beside what every request has.
    package var headers: [String: String]

    package init(body: [UInt8]? = nil, headers: [String: String]) {
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
        if let message { return message.headerFields + ["Expect:"] }
        return version?.validator.map { ["If-Range: \($0)"] } ?? []
    }
}
