import Media
package import Values

/// A message to a server that is not an origin of a source.
package struct OutgoingMessage: Sendable {
    package enum Action: Sendable {
        case get
        case post([UInt8])
        case put(Upload)
        case delete
    }

    package var action: Action
    /// The names and values of header fields beside those that every request has.
    package var headers: [String: String]
    /// The names and values of the header fields that authorize the request.
    package var secretHeaders: [String: Secret<String>] = [:]
    /// The lines of further header fields that authorize the request.
    package var secretLines: [Secret<String>] = []
    /// The signature of the request, if it needs one. Only for the operator's own servers.
    package var signature: SignatureV4?

    package init(_ action: Action, headers: [String: String], signature: SignatureV4? = nil) {
        self.action = action
        self.headers = headers
        self.signature = signature
    }

    /// Creates a message: a POST if there is a body, else a GET.
    package init(body: [UInt8]? = nil, headers: [String: String]) {
        self.init(body.map { .post($0) } ?? .get, headers: headers)
    }

    /// The header fields as lines. A value that would begin another line is left out: it may come from the producer of
    /// a job.
    var headerFields: [String] {
        headers.merging(secretHeaders.mapValues(\.revealed)) { $1 }.sorted { $0.key < $1.key }
            .filter { !"\($0.key)\($0.value)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
            .map { "\($0.key): \($0.value)" } + secretLines.map(\.revealed)
    }
}

extension Range<Int> {
    /// The range as a request has it: its first and its last byte.
    package var headerText: String { "\(lowerBound)-\(upperBound - 1)" }
}
