package import Base
package import FoundationEssentials
import Media
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The connections to one server: as many as there are requests under way. They are kept for later requests.
package final class HTTPConnections: Sendable {
    /// The base URL of the server, such as `http://127.0.0.1:8080`.
    package let base: String
    private let host: String
    private let port: Int
    private let security: NIOSSLContext?
    private let time: any TimeSource = SystemTime()
    private let token: Secret<String>?
    private let idle = Mutex<[any Channel]>([])
    // One thread is enough, and leaves the cores to the target.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Creates connections. `token` is the server's API token. `authorities` is a file of certificate authorities to
    /// trust in addition to the system's.
    package init(_ url: URL, token: Secret<String>? = nil, authorities: String? = nil) throws {
        guard let host = url.host(percentEncoded: false), let scheme = url.scheme, ["http", "https"].contains(scheme)
        else {
            throw LoadTestError.usage("The URL is not one of a server. Write it as http://127.0.0.1:8080.")
        }
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
        let name = host.contains(":") ? "[\(host)]" : host
        base = "\(scheme)://\(name):\(port)"
        self.token = token
        if scheme == "https" {
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let authorities { configuration.additionalTrustRoots = [.file(authorities)] }
            security = try NIOSSLContext(configuration: configuration)
        } else {
            security = nil
        }
    }

    private var authorization: [(String, String)] {
        token.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []
    }

    package func shutDown() async {
        try? await group.shutdownGracefully()
    }

    func send(_ message: HTTPMessage, until end: Instant) async throws(HTTPExchangeError) -> HTTPReply {
        if let kept = keptConnection() {
            do throws(HTTPExchangeError) {
                return try await send(message, on: kept, until: end)
            } catch  where error.isUntouched {
                // The kept connection was closed in the meantime. A new one shows whether the server still runs.
            }
        }
        return try await send(message, on: try await connect(until: end), until: end)
    }

    private func keptConnection() -> (any Channel)? {
        idle.withLock { idle in
            while let channel = idle.popLast() { if channel.isActive { return channel } }
            return nil
        }
    }

    private func send(
        _ message: HTTPMessage,
        on channel: any Channel,
        until end: Instant,
    ) async throws(HTTPExchangeError) -> HTTPReply {
        let reply = channel.eventLoop.makePromise(of: HTTPReply.self)
        let head = HTTPRequestHead(
            version: .http1_1,
            method: message.method,
            uri: message.path,
            headers: HTTPHeaders(authorization + message.headers),
        )
        let exchange = HTTPExchange(head: head, body: ByteBuffer(bytes: message.body), end: end, reply: reply)
        channel.writeAndFlush(exchange).cascadeFailure(to: reply)
        do {
            let answer = try await withTaskCancellationHandler {
                try await reply.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            if answer.keepsConnection { idle.withLock { $0.append(channel) } } else { channel.close(promise: nil) }
            return answer
        } catch let failure as HTTPExchangeError {
            throw failure
        } catch {
            throw HTTPExchangeError(message: "the request could not be sent", isUntouched: true)
        }
    }

    private func connect(until end: Instant) async throws(HTTPExchangeError) -> any Channel {
        let bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(TimeAmount(max(.milliseconds(1), end - time.now)))
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security {
                        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                        let handler = try NIOSSLClientHandler(context: security, serverHostname: isAddress ? nil : host)
                        try pipeline.addHandler(handler)
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(ExchangeHandler(time: time, host: "\(host):\(port)"))
                }
            }
        do {
            return try await bootstrap.connect(host: host, port: port).get()
        } catch {
            throw HTTPExchangeError(message: "no connection", isTimeout: time.now >= end)
        }
    }
}

// MARK: - Messages

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

// MARK: - The channel's handler

/// A channel handler that turns a connection's HTTP messages into exchanges, one at a time.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPExchange
    typealias OutboundOut = HTTPClientRequestPart

    private struct Current {
        var exchange: HTTPExchange
        var sent: Instant
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var timer: Scheduled<Void>
    }

    private static let byteLimit = 4_000_000

    private let time: any TimeSource
    private let host: String
    private var current: Current?

    init(time: any TimeSource, host: String) {
        self.time = time
        self.host = host
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        var head = exchange.head
        head.headers.replaceOrAdd(name: "Host", value: host)
        if exchange.body.readableBytes > 0 {
            head.headers.replaceOrAdd(name: "Content-Length", value: "\(exchange.body.readableBytes)")
        }
        let channel = context.channel
        let now = time.now
        let timer = context.eventLoop.scheduleTask(in: TimeAmount(exchange.end - now)) {
            exchange.reply.fail(HTTPExchangeError(message: "no answer in time", isTimeout: true))
            channel.close(promise: nil)
        }
        current = Current(exchange: exchange, sent: now, timer: timer)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if exchange.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(exchange.body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): current?.head = head
        case .body(let bytes):
            if current.map({ $0.body.count + bytes.readableBytes > Self.byteLimit }) == true {
                fail(HTTPExchangeError(message: "the answer is too long"))
                context.close(promise: nil)
            } else {
                current?.body += bytes.readableBytesView
            }
        case .end: finish()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(HTTPExchangeError(message: "the connection failed"))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(HTTPExchangeError(message: "the connection was closed", isUntouched: current?.head == nil))
        context.fireChannelInactive()
    }

    private func finish() {
        guard let current, let head = current.head else { return }
        self.current = nil
        current.timer.cancel()
        current.exchange.reply.succeed(
            HTTPReply(
                status: Int(head.status.code),
                headers: head.headers,
                body: current.body,
                sent: current.sent,
                answered: time.now,
                keepsConnection: head.isKeepAlive,
            )
        )
    }

    private func fail(_ failure: HTTPExchangeError) {
        current?.timer.cancel()
        current?.exchange.reply.fail(failure)
        current = nil
    }
}
