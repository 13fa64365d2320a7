import Media
package import Values

/// What is sent to a server that is no origin of a source.
package struct OutgoingMessage: Sendable {
    package enum Action: Sendable {
        case get
        case post([UInt8])
        case put(Upload)
        case delete
    }

    package var action: Action
    /// Names and values, beside what every request has.
    package var headers: [String: String]
    /// Names and values of those that authorize the request.
    package var secretHeaders: [String: Secret<String>] = [:]
    /// With it the request is signed. Only for the operator's own servers.
    package var signature: SignatureV4?

    package init(_ action: Action, headers: [String: String], signature: SignatureV4? = nil) {
        self.action = action
        self.headers = headers
        self.signature = signature
    }

    /// A POST if there is a body, else a GET.
    package init(body: [UInt8]? = nil, headers: [String: String]) {
        self.init(body.map { .post($0) } ?? .get, headers: headers)
    }

    /// A line each. A value that would begin another line is left out: it may come from whoever handed the job over.
    var headerFields: [String] {
        headers.merging(secretHeaders.mapValues(\.revealed)) { $1 }.sorted { $0.key < $1.key }
            .filter { !"\($0.key)\($0.value)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
            .map { "\($0.key): \($0.value)" }
    }
}

extension TransferRequest {
    /// What the request has beside libcurl's own header fields.
    ///
    /// It asks for no encoding by hand: libcurl's own option for that would also make libcurl undo the encodings that come.
    var headerFields: [String] {
        let identity = "Accept-Encoding: identity"
        guard let message else { return [identity] + (version?.validator.map { ["If-Range: \($0)"] } ?? []) }
        // libcurl would sign the field, and some stores see another one than was sent.
        guard message.signature == nil else { return message.headerFields }
        // Otherwise libcurl waits for a server's "100 Continue" before it sends a larger body.
        return message.headerFields + [identity, "Expect:"]
    }
}
