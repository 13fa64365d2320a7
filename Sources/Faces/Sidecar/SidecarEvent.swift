/// An event of the HTTP server, for metrics and logs.
package enum SidecarEvent: Sendable, Equatable {
    /// The server accepts connections at this port.
    case listening(port: Int)
    /// The server of metrics accepts connections at this port.
    case metricsListening(port: Int)
    /// A request was answered.
    case answered(AnsweredRequest)
    /// A job was refused because the queue is full.
    case jobRefused
}

/// The labels under which an answered request is counted.
package struct AnsweredRequest: Sendable, Hashable {
    package var method: String
    /// The route with the names of its parameters, or `nil` if no route matched.
    package var route: String?
    package var status: Int
}
