import HTTPTypes
import Hummingbird

/// Whether a request comes from a page of ours, or from a site that a browser happens to show.
struct BrowserOrigin {
    /// The authority that the request was sent to.
    private let host: String
    private let origin: String?

    init(_ request: Request) {
        host = (request.head.authority ?? "").lowercased()
        origin = request.headers[.origin]?.lowercased()
    }

    /// No browser sent it: those name the origin of whatever changes something.
    var isNone: Bool { origin == nil }

    /// A page of ours sent it.
    var isOurs: Bool { !host.isEmpty && (origin == "http://\(host)" || origin == "https://\(host)") }

    /// Whether the host is an address, or this machine by name.
    ///
    /// Where no token is asked for, a site could have its own name lead here and so become a page of ours (DNS
    /// rebinding); an address can't be had that way.
    var isAddress: Bool {
        let name = host.hasPrefix("[") ? host[...] : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasPrefix("[")
            || name.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    }
}
