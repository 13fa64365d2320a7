import HTTPTypes
import Hummingbird

/// The origin of a request: a page of attachd, another site, or not a browser.
struct BrowserOrigin {
    /// The authority to which the request was sent.
    private let host: String
    private let origin: String?

    init(_ request: Request) {
        host = (request.head.authority ?? "").lowercased()
        origin = request.headers[.origin]?.lowercased()
    }

    /// A Boolean value that indicates whether the request names no origin. Browsers name one in every request that
    /// changes something.
    var isNone: Bool { origin == nil }

    /// A Boolean value that indicates whether a page of attachd sent the request.
    var isOurs: Bool { !host.isEmpty && (origin == "http://\(host)" || origin == "https://\(host)") }

    /// A Boolean value that indicates whether the host is an IP address or `localhost`.
    ///
    /// Without a token, another site could point its own name at this server and so pass for attachd (DNS rebinding).
    /// It cannot do so with an address.
    var isAddress: Bool {
        let name = host.hasPrefix("[") ? host[...] : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasPrefix("[")
            || name.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    }
}
