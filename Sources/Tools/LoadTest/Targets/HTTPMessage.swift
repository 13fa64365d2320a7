import Media
import NIOCore
import NIOHTTP1
import Timing

/// A request to the target.
struct HTTPMessage: Sendable {
    var method = HTTPMethod.GET
    var path: String
    var headers: [(String, String)] = []
    var body: [UInt8] = []
}

/// The reply to a request, with its times.
struct HTTPReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    /// The times at which the request was sent and the last byte of the reply arrived.
    var sent: Instant
    var answered: Instant
    var keepsConnection: Bool
}

/// The reason why there is no reply.
struct HTTPExchangeError: Error, Sendable {
    var message: String
    /// A Boolean value that indicates whether the connection closed before the first byte of the reply. A kept
    /// connection may close just when it is used.
    var isUntouched = false
    var isTimeout = false
}

/// One request on a connection, and the promise of its reply.
struct HTTPExchange: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer
    var end: Instant
    var reply: EventLoopPromise<HTTPReply>
}
