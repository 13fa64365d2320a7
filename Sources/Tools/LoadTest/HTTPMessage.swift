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

/// What came back, and when.
struct HTTPReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    /// When the request was written, and when the last of the answer was there.
    var sent: Instant
    var answered: Instant
    var keepsConnection: Bool
}

/// Why nothing came back.
struct HTTPFailure: Error, Sendable {
    var message: String
    /// The connection was closed before a byte of the answer: a kept one may have been closed just when it was used.
    var isUntouched = false
    var isTimeout = false
}

/// One request on a connection, and where its reply goes.
struct HTTPExchange: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer
    var end: Instant
    var reply: EventLoopPromise<HTTPReply>
}
