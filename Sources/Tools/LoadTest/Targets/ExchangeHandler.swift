import Media
import NIOCore
import NIOHTTP1
import Timing

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
